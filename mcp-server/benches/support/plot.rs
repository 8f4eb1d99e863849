//! Panels of curves as an SVG, both axes of each logarithmic.

use std::fmt::{self, Write as _};

/// One panel: a curve or two of what is on the left axis, and one of what is on the right.
#[derive(Debug)]
pub struct Panel {
    /// What grows.
    pub title: &'static str,
    /// The name of the axis below, and the places on it that are named.
    pub x: Axis,
    /// The axis on the left with its curves.
    pub cpu: Vec<Curve>,
    /// The axis on the right with its curve.
    pub memory: Curve,
}

/// An axis below.
#[derive(Debug)]
pub struct Axis {
    /// Its name, with the unit.
    pub name: &'static str,
    /// Places that have a name.
    pub ticks: Vec<(f64, String)>,
}

/// Some points, in the order of their `x`.
#[derive(Debug)]
pub struct Curve {
    /// What it is, with the unit. The first one on an axis is also the name of the axis.
    pub name: &'static str,
    /// All greater than zero.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 370.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 86.0;

const CPU: &str = "#1f5fae";
const MEMORY: &str = "#c2571a";
const INK: &str = "#24292f";
const FONT: &str = r#"font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" font-size="13""#;

/// Draws panels, two in a row.
pub fn draw(panels: &[Panel]) -> String {
    let (width, height) = (2.0 * WIDTH, panels.len().div_ceil(2) as f64 * HEIGHT);
    let mut svg = Svg(String::new());
    svg.add(format_args!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}""#));
    svg.add(format_args!(r#"viewBox="0 0 {width} {height}" {FONT}>"#));
    svg.add(format_args!(r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##));
    for (at, panel) in panels.iter().enumerate() {
        svg.add(format_args!(r#"<g transform="translate({} {})">"#, (at % 2) as f64 * WIDTH, (at / 2) as f64 * HEIGHT));
        panel.draw(&mut svg);
        svg.add(format_args!("</g>"));
    }
    svg.add(format_args!("</svg>"));
    svg.0
}

struct Svg(String);

impl Svg {
    fn add(&mut self, element: fmt::Arguments<'_>) {
        writeln!(self.0, "{element}").expect("a String takes all");
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
        self.add(format_args!(r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" {style}/>"#));
    }

    fn text(&mut self, (x, y): (f64, f64), style: &str, text: &str) {
        self.add(format_args!(r#"<text x="{x:.1}" y="{y:.1}" {style}>{text}</text>"#));
    }
}

/// The powers of ten between which something lies.
#[derive(Clone, Copy)]
struct Decades {
    from: i32,
    to: i32,
}

impl Decades {
    fn of<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> Self {
        let logs: Vec<_> = points.map(|(_, y)| y.log10()).collect();
        let from = logs.iter().copied().fold(f64::INFINITY, f64::min).floor() as i32;
        let to = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil() as i32;
        Self { from, to: to.max(from + 1) }
    }

    /// The same with so many powers, so that two axes share their lines.
    fn widened(self, decades: i32) -> Self {
        let more = decades - (self.to - self.from);
        Self { from: self.from - more / 2, to: self.to + more - more / 2 }
    }

    fn place(self, y: f64) -> f64 {
        let share = (y.log10() - f64::from(self.from)) / f64::from(self.to - self.from);
        HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
    }
}

impl Panel {
    fn draw(&self, svg: &mut Svg) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let all = || self.cpu.iter().flat_map(|curve| &curve.points);
        if all().next().is_none() || self.memory.points.is_empty() {
            return svg.text((WIDTH / 2.0, HEIGHT / 2.0), r#"text-anchor="middle""#, "nothing was measured");
        }
        let (cpu, memory) = (Decades::of(all()), Decades::of(self.memory.points.iter()));
        let decades = (cpu.to - cpu.from).max(memory.to - memory.from).max(2);
        let (cpu, memory) = (cpu.widened(decades), memory.widened(decades));
        let logs: Vec<_> = all().map(|(x, _)| x.log10()).collect();
        let (first, last) =
            (logs.iter().copied().fold(f64::INFINITY, f64::min), logs.iter().copied().fold(0.0, f64::max));
        let x = |value: f64| LEFT + 12.0 + (value.log10() - first) / (last - first).max(0.1) * (right - LEFT - 24.0);

        svg.text((LEFT, 26.0), &format!(r#"font-size="16" font-weight="bold" fill="{INK}""#), self.title);
        // Lines for each power of ten, and fainter ones for what lies between.
        for power in 0..=decades {
            for step in 1..10 {
                let y = cpu.place(f64::from(step) * 10_f64.powi(cpu.from + power));
                if y >= TOP - 0.5 {
                    let color = if step == 1 { "#c9d1d9" } else { "#eef1f4" };
                    svg.line((LEFT, y), (right, y), &format!(r#"stroke="{color}""#));
                }
            }
            let y = cpu.place(10_f64.powi(cpu.from + power)) + 4.5;
            let label = |color| format!(r#"fill="{color}" text-anchor="end""#);
            svg.text((LEFT - 8.0, y), &label(CPU), &number(10_f64.powi(cpu.from + power)));
            let label = format!(r#"fill="{MEMORY}""#);
            svg.text((right + 8.0, y), &label, &number(10_f64.powi(memory.from + power)));
        }
        for (value, name) in &self.x.ticks {
            let x = x(*value);
            svg.line((x, TOP), (x, bottom), r##"stroke="#e1e5ea""##);
            svg.line((x, bottom), (x, bottom + 5.0), &format!(r#"stroke="{INK}""#));
            svg.text((x, bottom + 20.0), &format!(r#"fill="{INK}" text-anchor="middle""#), name);
        }
        svg.add(format_args!(
            r#"<rect x="{LEFT}" y="{TOP}" width="{}" height="{}" fill="none" stroke="{INK}"/>"#,
            right - LEFT,
            bottom - TOP
        ));
        let middle = (TOP + bottom) / 2.0;
        let turned = |x: f64, color| {
            format!(r#"fill="{color}" text-anchor="middle" transform="rotate(-90 {x:.1} {middle:.1})""#)
        };
        if let Some(first) = self.cpu.first() {
            svg.text((18.0, middle), &turned(18.0, CPU), first.name);
        }
        svg.text((WIDTH - 24.0, middle), &turned(WIDTH - 24.0, MEMORY), self.memory.name);
        svg.text(((LEFT + right) / 2.0, bottom + 42.0), &format!(r#"fill="{INK}" text-anchor="middle""#), self.x.name);

        let mut key = LEFT;
        let curves = self.cpu.iter().map(|curve| (curve, cpu, CPU)).chain([(&self.memory, memory, MEMORY)]);
        for (at, (curve, decades, color)) in curves.enumerate() {
            let dashes = if color == CPU && at > 0 { r#"stroke-dasharray="6 4""# } else { "" };
            let style = format!(r#"fill="none" stroke="{color}" stroke-width="2.5" {dashes}"#);
            let places: Vec<_> = curve.points.iter().map(|(value, y)| (x(*value), decades.place(*y))).collect();
            let line: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            svg.add(format_args!(r#"<polyline points="{}" {style}/>"#, line.join(" ")));
            for (x, y) in places {
                if color == MEMORY {
                    svg.add(format_args!(
                        r#"<rect x="{:.1}" y="{:.1}" width="8" height="8" fill="{color}"/>"#,
                        x - 4.0,
                        y - 4.0
                    ));
                } else {
                    svg.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.2" fill="{color}"/>"#));
                }
            }
            let y = bottom + 68.0;
            svg.line((key, y - 4.5), (key + 26.0, y - 4.5), &style);
            svg.text((key + 32.0, y), &format!(r#"font-size="12" fill="{INK}""#), curve.name);
            // About as wide as a letter is.
            key += 48.0 + curve.name.chars().count() as f64 * 7.0;
        }
    }
}

/// A power of ten as people write it.
fn number(value: f64) -> String {
    match value {
        1_000_000.0.. => format!("{} M", value / 1e6),
        1_000.0.. => format!("{},000", value / 1e3),
        _ => format!("{value}"),
    }
}
