//! A refund that asks its user: a form, a step that is taken once, and state that all calls share.
//!
//! `cargo run --example refund` serves on standard input and output. It serves both eras from one function: a
//! stateless client is asked by the result and calls again, an older one is asked over the wire.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use mcp_server::AskError;
use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// The accounting system.
struct Ledger {
    /// What was paid for each order, in cents.
    paid: Mutex<BTreeMap<String, u64>>,
    transactions: Mutex<Vec<String>>,
}

impl Ledger {
    async fn open() -> Result<Self, std::io::Error> {
        let orders = [("A17", 1999), ("B42", 4950)].map(|(order, cents)| (order.to_owned(), cents));
        Ok(Self { paid: Mutex::new(orders.into()), transactions: Mutex::default() })
    }

    /// Puts the money of an order aside. Done twice, it would be put aside twice.
    fn reserve(&self, order_id: &str, cents: u64) -> String {
        let mut transactions = self.transactions.lock().unwrap_or_else(PoisonError::into_inner);
        transactions.push(format!("reserve {order_id} {cents}"));
        format!("T{}", transactions.len())
    }

    fn release(&self, transaction: &str) {
        self.transactions.lock().unwrap_or_else(PoisonError::into_inner).push(format!("release {transaction}"));
    }

    fn pay_back(&self, order_id: &str) -> Option<u64> {
        self.paid.lock().unwrap_or_else(PoisonError::into_inner).remove(order_id)
    }
}

/// What the user is asked.
#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Why the money goes back
    #[schemars(title = "Reason")]
    reason: Reason,
    /// A word to the customer
    #[schemars(length(max = 200))]
    note: Option<String>,
    /// Send the customer a mail
    #[serde(default)]
    notify: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Reason {
    #[schemars(title = "It came broken")]
    Broken,
    #[schemars(title = "It came too late")]
    Late,
}

/// Give the money for an order back, if the user agrees.
#[tool(destructive, open_world = false)]
async fn refund(
    /// The order, such as `A17`.
    order_id: String,
    ledger: State<Ledger>,
    ctx: Context,
) -> Result<String, ToolError> {
    let paid = ledger.paid.lock().unwrap_or_else(PoisonError::into_inner).get(&order_id).copied();
    let cents = paid.ok_or_else(|| ToolError::new(format!("nothing was paid for `{order_id}`: try `A17` or `B42`")))?;
    // Whoever can't be asked is told before anything is done.
    ctx.ensure_elicitation().await?;
    // However often this runs until the answer is there, the money is put aside once.
    let transaction = ctx.once("reserve", async { ledger.reserve(&order_id, cents) }).await;

    let question = format!("Pay {}.{:02} back for order {order_id}?", cents / 100, cents % 100);
    let answer = ctx.elicit::<Confirmation>(question).await;
    if let Err(AskError::Refused(_) | AskError::TimedOut) = answer {
        ledger.release(&transaction);
    }
    match answer? {
        Elicited::Accept(Confirmation { reason, note, notify }) => {
            if ledger.pay_back(&order_id).is_none() {
                ledger.release(&transaction);
                return Err(ToolError::new("it was paid back meanwhile"));
            }
            let mail = match (notify, note) {
                (false, _) => "no mail".to_owned(),
                (true, None) => "a mail".to_owned(),
                (true, Some(note)) => format!("a mail: {note}"),
            };
            Ok(format!("{transaction}: paid {cents} cents back ({reason:?}), {mail}"))
        }
        Elicited::Decline => {
            ledger.release(&transaction);
            Ok(format!("{transaction}: not paid back, the user declined"))
        }
        Elicited::Cancel => {
            ledger.release(&transaction);
            Err(ToolError::new(format!("{transaction}: the user gave no answer")))
        }
    }
}

/// What the accounting system has done so far.
#[tool(read_only)]
async fn transactions(ledger: State<Ledger>) -> Json<Vec<String>> {
    Json(ledger.transactions.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    Server::new("refund")
        .version(env!("CARGO_PKG_VERSION"))
        .lifespan(Ledger::open, |_ledger| async { eprintln!("the ledger is closed") })
        .tool(refund)
        .tool(transactions)
        .serve_stdio()
        .await
}
