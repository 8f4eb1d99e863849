//! The folders that a client works in.
//!
//! Specification: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::percent;

/// A folder or file that the client works in: a hint about what matters, and no permission.
///
/// ```
/// use mcp_server::protocol::Root;
///
/// let root: Root = serde_json::from_str(r#"{"uri":"file:///home/ada/my%20shop"}"#).unwrap();
/// # #[cfg(unix)]
/// assert_eq!(root.path().unwrap(), std::path::Path::new("/home/ada/my shop"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// Where it is: a `file://` URI.
    pub uri: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl Root {
    /// The path on this machine; `None` when the URI is no well-formed `file://` URI, or that of another machine.
    ///
    /// Nothing is looked up: the path may not exist, and may hold `..`.
    pub fn path(&self) -> Option<PathBuf> {
        let (scheme, rest) = self.uri.split_once("://")?;
        if !scheme.eq_ignore_ascii_case("file") || rest.contains(['?', '#']) {
            return None;
        }
        let (host, path) = rest.split_at(rest.find('/')?);
        if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
            return None;
        }
        let bytes = percent::decode(path)?.into_owned();
        if bytes.contains(&0) { None } else { local(bytes) }
    }
}

#[cfg(unix)]
fn local(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// `/C:/shop` is `C:/shop`.
#[cfg(not(unix))]
fn local(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(bytes).ok()?;
    let drive = path.strip_prefix('/').filter(|path| path.as_bytes().get(1) == Some(&b':'));
    Some(drive.unwrap_or(&path).into())
}

/// The answer to `roots/list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListRootsResult {
    /// The roots, in the client's order.
    pub roots: Vec<Root>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(uri: &str) -> Option<PathBuf> {
        Root { uri: uri.into(), ..Root::default() }.path()
    }

    // rows: ROOT-3
    #[test]
    fn roots_come_back_as_they_were() {
        let wire = json!({ "roots": [
            { "uri": "file:///a" },
            { "uri": "file:///b", "name": "B", "_meta": { "example.com/key": true } },
        ] });
        let result: ListRootsResult = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(result.roots[1].name.as_deref(), Some("B"));
        assert_eq!(serde_json::to_value(&result).unwrap(), wire);
    }

    // rows: ROOT-3
    #[cfg(unix)]
    #[test]
    fn a_file_uri_is_a_path_and_no_other_is() {
        for (uri, expected) in [
            ("file:///", "/"),
            ("file:///home/ada", "/home/ada"),
            ("FILE://localhost/home/ada/", "/home/ada/"),
            ("file:///a%20b/%C3%A9", "/a b/é"),
        ] {
            assert_eq!(path(uri), Some(expected.into()), "{uri}");
        }
        for uri in [
            "",
            "/home/ada",
            "https://example.com/a",
            "file:/home/ada",
            "file://",
            "file://relative",
            "file://elsewhere/share",
            "file:///a?b",
            "file:///a#b",
            "file:///a%2",
            "file:///a%zz",
            "file:///a%00b",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn a_drive_is_the_beginning_of_a_path() {
        assert_eq!(path("file:///C:/shop"), Some("C:/shop".into()));
    }
}
