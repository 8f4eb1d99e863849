//! Placeholder until the first scenarios are in.
