//! What older revisions do not know, and so do not get.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Annotations, Icon, ProtocolVersion};

/// Writes `item` as JSON, for the revisions before 2025-11-25 as `older` makes it.
pub(super) fn write<T: Serialize + Clone>(
    out: &mut Vec<u8>,
    item: &T,
    version: ProtocolVersion,
    older: fn(T, ProtocolVersion) -> T,
) {
    let written = if version >= ProtocolVersion::V2025_11_25 {
        serde_json::to_writer(out, item)
    } else {
        serde_json::to_writer(out, &older(item.clone(), version))
    };
    written.expect("what is on the wire is plain data");
}

/// A title, from 2025-06-18 on.
pub(super) fn title(title: Option<String>, version: ProtocolVersion) -> Option<String> {
    title.filter(|_| version >= ProtocolVersion::V2025_06_18)
}

/// Data for programs, from 2025-06-18 on.
pub(super) fn meta(meta: Option<Map<String, Value>>, version: ProtocolVersion) -> Option<Map<String, Value>> {
    meta.filter(|_| version >= ProtocolVersion::V2025_06_18)
}

/// Pictures, from 2025-11-25 on.
pub(super) fn icons(icons: Vec<Icon>, version: ProtocolVersion) -> Vec<Icon> {
    if version >= ProtocolVersion::V2025_11_25 { icons } else { Vec::new() }
}

/// Annotations, with the time of the last change from 2025-06-18 on.
pub(super) fn annotations(annotations: Option<Annotations>, version: ProtocolVersion) -> Option<Annotations> {
    annotations.map(|known| Annotations {
        last_modified: known.last_modified.filter(|_| version >= ProtocolVersion::V2025_06_18),
        ..known
    })
}
