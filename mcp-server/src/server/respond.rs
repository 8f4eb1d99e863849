//! Responses as bytes: the envelope, and what each revision adds to a result.

use serde_json::{Map, Value};

use super::Core;
use super::chunk::Insert;
use super::outcome::COMPLETE;
use crate::protocol::{ErrorObject, ProtocolVersion, RequestId, SERVER_INFO, write_string};

/// Writes a response whose result has the members that `members` writes, which may leave shared ones to be inserted.
pub(crate) fn write_result(
    out: &mut Vec<u8>,
    core: &Core,
    id: &RequestId,
    version: ProtocolVersion,
    meta: Option<&Map<String, Value>>,
    result_type: &str,
    members: impl FnOnce(&mut Vec<u8>) -> Option<Insert>,
) -> Option<Insert> {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":{"#);
    let start = out.len();
    let insert = members(out);
    let mut comma = out.len() > start || insert.is_some();
    let mut next = |out: &mut Vec<u8>| {
        if std::mem::replace(&mut comma, true) {
            out.push(b',');
        }
    };
    if version.is_modern() {
        next(out);
        if result_type == COMPLETE {
            out.extend_from_slice(br#""resultType":"complete""#);
        } else {
            out.extend_from_slice(br#""resultType":"#);
            write_string(out, result_type);
        }
    }
    match meta {
        None if version.is_modern() => {
            next(out);
            out.extend_from_slice(&core.server_meta);
        }
        None => {}
        Some(meta) if version >= ProtocolVersion::V2025_06_18 => {
            let mut meta = meta.clone();
            if version.is_modern() {
                let info = serde_json::to_value(&core.info).expect("an implementation is plain data");
                meta.insert(SERVER_INFO.to_owned(), info);
            }
            next(out);
            out.extend_from_slice(br#""_meta":"#);
            serde_json::to_writer(&mut *out, &meta).expect("JSON is plain data");
        }
        Some(_) => {}
    }
    out.extend_from_slice(b"}}");
    insert
}

/// "When the request `id` cannot be read" there is none in the response either (Messages, Error Responses).
pub(crate) fn write_error(out: &mut Vec<u8>, id: Option<&RequestId>, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        id.write(out);
        out.push(b',');
    }
    out.extend_from_slice(br#""error":"#);
    serde_json::to_writer(&mut *out, error).expect("an error is plain data");
    out.push(b'}');
}
