//! The revisions of the protocol, and which of them start with a handshake.
//!
//! Specification: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A revision of the protocol, ordered from the oldest to the newest.
///
/// ```
/// use mcp_server::protocol::ProtocolVersion;
///
/// let version: ProtocolVersion = "2025-11-25".parse().unwrap();
/// assert!(version < ProtocolVersion::LATEST);
/// assert!(!version.is_modern());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// `2024-11-05`, with a handshake.
    V2024_11_05,
    /// `2025-03-26`, with a handshake; the only one with batches.
    V2025_03_26,
    /// `2025-06-18`, with a handshake.
    V2025_06_18,
    /// `2025-11-25`, the last one with a handshake.
    V2025_11_25,
    /// `2026-07-28`, stateless: each request says all that is needed to serve it.
    V2026_07_28,
}

impl ProtocolVersion {
    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;
    /// The newest revision that begins with `initialize`.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;
    /// All revisions, from the oldest to the newest.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The name on the wire, such as `2026-07-28`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests of this revision are stateless, so that no handshake comes first.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// The place in [`ProtocolVersion::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProtocolVersion {
    type Err = UnknownVersion;

    /// Versions are opaque names: compared for equality, never by their dates.
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL.into_iter().find(|version| version.as_str() == text).ok_or(UnknownVersion)
    }
}

impl Serialize for ProtocolVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A version string that names no revision known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownVersion;

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown protocol version; known are ")?;
        for (at, version) in ProtocolVersion::ALL.into_iter().enumerate() {
            write!(f, "{}{version}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownVersion {}
