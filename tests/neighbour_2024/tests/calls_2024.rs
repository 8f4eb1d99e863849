//! The same calls as those of the neighbour.

extern crate neighbour_2024 as neighbour;

#[path = "../../neighbour/tests/calls.rs"]
mod calls;
