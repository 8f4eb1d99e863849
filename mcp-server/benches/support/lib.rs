//! What the benchmarks share: the server that is measured, its pieces, and clients that check every answer.

pub mod child;
pub mod cost;
pub mod message;
pub mod pieces;
pub mod pipe;
pub mod plot;
pub mod server;
pub mod socket;
pub mod table;

pub use child::Child;
pub use pipe::Pipe;
pub use server::Setup;
pub use socket::Socket;
