//! A forecast: progress while it is made, and a result that programs can read.
//!
//! `cargo run --example weather` serves on standard input and output, for any host to start.

use std::time::Duration;

use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How warm it is said to be.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

/// One day of a forecast.
#[derive(Debug, Serialize, JsonSchema)]
struct Day {
    /// How many days from now.
    day: u32,
    /// The highest temperature, in the unit that was asked for.
    high: f64,
    /// The chance of rain, from 0 to 1.
    rain: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Forecast {
    city: String,
    days: Vec<Day>,
}

/// Forecast the weather of a city.
#[tool(title = "Weather forecast", read_only, open_world = false)]
async fn forecast(
    /// The city, such as `Oslo`.
    city: String,
    /// For how many days, up to ten.
    #[tool(default = 3)]
    days: u32,
    #[tool(default)] unit: Unit,
    ctx: Context,
) -> Result<Json<Forecast>, ToolError> {
    if !(1..=10).contains(&days) {
        return Err(ToolError::new(format!("a forecast is for 1 to 10 days, not {days}")));
    }
    let mut forecast = Forecast { city, days: Vec::new() };
    for day in 1..=days {
        tokio::time::sleep(Duration::from_millis(20)).await;
        forecast.days.push(model(&forecast.city, day, unit));
        ctx.report_progress(day, days, format!("day {day}")).await?;
    }
    Ok(Json(forecast))
}

/// What stands for a model of the atmosphere here: the same for the same city and day.
fn model(city: &str, day: u32, unit: Unit) -> Day {
    let seed = city.bytes().fold(day, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let celsius = f64::from(seed % 30) - 2.0;
    let high = match unit {
        Unit::Celsius => celsius,
        Unit::Fahrenheit => celsius * 1.8 + 32.0,
    };
    Day { day, high, rain: f64::from(seed % 11) / 10.0 }
}

/// Have the weather of a city put into words.
#[prompt]
async fn talk_about_weather(
    /// The city, such as `Oslo`.
    #[prompt(complete = cities)]
    city: String,
) -> String {
    format!("Ask for the forecast of {city}, and tell in one friendly sentence what to wear.")
}

/// Cities that begin like this.
fn cities(typed: String) -> Vec<&'static str> {
    let typed = typed.to_lowercase();
    ["Bergen", "Berlin", "Oslo", "Paris"].into_iter().filter(|city| city.to_lowercase().starts_with(&typed)).collect()
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    Server::new("weather")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Forecasts are made up: use them to try clients.")
        .tool(forecast)
        .prompt(talk_about_weather)
        .serve_stdio()
        .await
}
