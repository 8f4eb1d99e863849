//! Finding out how a server wants to be spoken to: stateless, or after a handshake.
//!
//! Specification: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning) and
//! [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio), Backward Compatibility.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::builder::Settings;
use super::connection::Connection;
use super::request::{Limits, Options, Request, outcome};
use super::results;
use super::{CallError, ConnectError};
use crate::protocol::{
    CLIENT_CAPABILITIES, CLIENT_INFO, DiscoverResult, ErrorCode, ErrorObject, Implementation, InitializeParams,
    InitializeResult, PROTOCOL_VERSION, ProtocolVersion, SERVER_INFO, ServerCapabilities,
};

/// What both sides have agreed on.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) version: ProtocolVersion,
    pub(crate) server: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
    /// The members that each request has in its `_meta`: none after a handshake.
    pub(crate) meta: Vec<u8>,
}

/// What the probe found.
#[derive(Debug)]
pub(crate) enum Probed {
    Modern(Box<Agreed>),
    /// Only the handshake is left.
    Legacy,
    /// The server has ended on it. A new one may take the handshake.
    Ended {
        reason: String,
    },
}

/// Asks with `server/discover`, and judges the answer by the rows of the specification.
///
/// # Errors
///
/// When the server is a stateless one, and yet there is no way to speak to it.
pub(crate) async fn probe(connection: &Connection, settings: &Settings) -> Result<Probed, ConnectError> {
    let Some(preferred) = settings.versions.iter().copied().filter(|version| version.is_modern()).max() else {
        return Ok(Probed::Legacy);
    };
    let refusal = match discover(connection, settings, preferred).await? {
        Discovered::Settled(probed) => return Ok(probed),
        Discovered::Refused(refusal) => refusal,
    };
    let theirs = refusal.versions();
    match common(settings, &theirs) {
        Some(version) if version.is_modern() => match discover(connection, settings, version).await? {
            Discovered::Settled(probed) => Ok(probed),
            // It has refused what it had named itself.
            Discovered::Refused(refusal) => Err(ConnectError::Server(refusal.0)),
        },
        Some(_) => Ok(Probed::Legacy),
        None => Err(ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs }),
    }
}

enum Discovered {
    Settled(Probed),
    Refused(UnsupportedVersion),
}

async fn discover(
    connection: &Connection,
    settings: &Settings,
    version: ProtocolVersion,
) -> Result<Discovered, ConnectError> {
    let meta = modern_meta(settings, version);
    let params = |out: &mut Vec<u8>, _| {
        out.extend_from_slice(br#"{"_meta":{"#);
        out.extend_from_slice(&meta);
        out.extend_from_slice(b"}}");
    };
    let limits = Limits { timeout: Some(settings.probe_timeout), ..Limits::default() };
    // Not cancelled, as a server that only knows the handshake expects nothing else before it.
    let request = Request::new(connection, "server/discover", params, Options { limits, ..Options::default() });
    Ok(Discovered::Settled(match outcome(request).await {
        Ok(result) => discovered(connection, settings, meta, version, &result)?,
        Err(CallError::Closed { reason }) => Probed::Ended { reason },
        Err(CallError::Server(error)) => match UnsupportedVersion::read(&error) {
            Some(refusal) => return Ok(Discovered::Refused(refusal)),
            None if needs_capability(&error) => return Err(ConnectError::Server(error)),
            // Any other error says only that it did not understand: "MUST NOT be keyed to one code".
            None => Probed::Legacy,
        },
        // An old server may well ignore what it does not know, or answer nonsense.
        Err(_) => Probed::Legacy,
    }))
}

/// Reads the answer to `server/discover`.
fn discovered(
    connection: &Connection,
    settings: &Settings,
    meta: Vec<u8>,
    version: ProtocolVersion,
    result: &RawValue,
) -> Result<Probed, ConnectError> {
    #[derive(Deserialize)]
    struct Members {
        #[serde(default, rename = "_meta")]
        meta: Map<String, Value>,
    }
    let Ok(DiscoverResult { supported_versions: theirs, capabilities, instructions }) = results::complete(result)
    else {
        tracing::debug!("the answer to `server/discover` can't be read: trying the handshake");
        return Ok(Probed::Legacy);
    };
    let (version, meta) = if theirs.iter().any(|name| name == version.as_str()) {
        (version, meta)
    } else {
        match common(settings, &theirs) {
            Some(version) if version.is_modern() => (version, modern_meta(settings, version)),
            Some(_) => return Ok(Probed::Legacy),
            None => return Err(ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs }),
        }
    };
    connection.set_modern();
    let members: Option<Members> = serde_json::from_str(result.get()).ok();
    let server = members.and_then(|mut members| serde_json::from_value(members.meta.remove(SERVER_INFO)?).ok());
    Ok(Probed::Modern(Box::new(Agreed { version, server, capabilities, instructions, meta })))
}

/// A -32022 that names the versions it would take.
struct UnsupportedVersion(ErrorObject);

impl UnsupportedVersion {
    fn read(error: &ErrorObject) -> Option<Self> {
        let named = error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            && error.data.as_ref().is_some_and(|data| data["supported"].is_array());
        named.then(|| Self(error.clone()))
    }

    fn versions(&self) -> Vec<String> {
        let supported = self.0.data.as_ref().and_then(|data| data["supported"].as_array());
        supported.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// Whether only a stateless server can have said that.
fn needs_capability(error: &ErrorObject) -> bool {
    error.code == ErrorCode::MISSING_CLIENT_CAPABILITY
        && error.data.as_ref().is_some_and(|data| data["requiredCapabilities"].is_object())
}

/// The newest version that both sides speak.
fn common(settings: &Settings, theirs: &[String]) -> Option<ProtocolVersion> {
    settings.versions.iter().copied().filter(|ours| theirs.iter().any(|name| name == ours.as_str())).max()
}

fn modern_meta(settings: &Settings, version: ProtocolVersion) -> Vec<u8> {
    let info = serde_json::to_string(&settings.info).expect("an implementation is plain data");
    let capabilities = serde_json::to_string(&settings.capabilities).expect("capabilities are plain data");
    format!(r#""{PROTOCOL_VERSION}":"{version}","{CLIENT_INFO}":{info},"{CLIENT_CAPABILITIES}":{capabilities}"#)
        .into_bytes()
}

/// Shakes hands: `initialize`, its answer, `notifications/initialized`.
///
/// # Errors
///
/// When the server refuses, ends, or answers with a version that this client does not speak.
pub(crate) async fn initialize(connection: &Connection, settings: &Settings) -> Result<Agreed, ConnectError> {
    let no_common = |theirs| ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs };
    let Some(newest) = settings.versions.iter().copied().filter(|version| !version.is_modern()).max() else {
        return Err(no_common(Vec::new()));
    };
    let params = InitializeParams {
        protocol_version: newest.as_str(),
        capabilities: &settings.capabilities,
        client_info: &settings.info,
    };
    let params = serde_json::to_vec(&params).expect("params are plain data");
    // "The `initialize` request MUST NOT be cancelled by clients" (2025-11-25, Cancellation).
    let request = Request::new(connection, "initialize", |out, _| out.extend_from_slice(&params), Options::default());
    let result = match outcome(request).await {
        Ok(result) => result,
        Err(CallError::Server(error)) => return Err(ConnectError::Server(error)),
        Err(CallError::Closed { reason }) => return Err(ConnectError::Closed { reason }),
        Err(error) => return Err(ConnectError::InvalidResult { method: "initialize", reason: error.to_string() }),
    };
    let InitializeResult { protocol_version, capabilities, server_info, instructions } = results::complete(&result)
        .map_err(|error| ConnectError::InvalidResult {
            method: "initialize",
            reason: match error {
                CallError::InvalidResult { path, reason } => format!("{path}: {reason}"),
                error => error.to_string(),
            },
        })?;
    let version = match protocol_version.parse::<ProtocolVersion>() {
        Ok(version) if !version.is_modern() && settings.versions.contains(&version) => version,
        _ => return Err(no_common(vec![protocol_version])),
    };
    // A closed connection shows at the first request.
    let _ = connection.outbox.push_now(|out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    });
    Ok(Agreed { version, server: server_info, capabilities, instructions, meta: Vec::new() })
}
