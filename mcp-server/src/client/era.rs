//! Finding out how a server wants to be spoken to: stateless, or after a handshake.
//!
//! Specification: [Versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning) and
//! [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio), Backward Compatibility.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::builder::Settings;
#[cfg(feature = "client-http")]
use super::connection::Carrier;
use super::connection::Connection;
use super::request::{Head, Limits, Options, Request, outcome};
use super::results;
use super::{CallError, ConnectError};
use crate::protocol::{
    CLIENT_CAPABILITIES, CLIENT_INFO, DiscoverResult, ErrorCode, ErrorObject, Implementation, InitializeParams,
    InitializeResult, LoggingLevel, PROTOCOL_VERSION, ProtocolVersion, SERVER_INFO, ServerCapabilities,
};

/// A server may take so long to set the level of its logs.
const SET_LEVEL: Duration = Duration::from_secs(10);

/// What both sides have agreed on.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) version: ProtocolVersion,
    pub(crate) server: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
    /// The members that each request has in its `_meta`, but for the log level: none after a handshake.
    pub(crate) meta: Vec<u8>,
}

/// What the probe found.
#[derive(Debug)]
pub(crate) enum Probed {
    Modern(Box<Agreed>),
    /// Only the handshake is left.
    Legacy {
        /// What the server said instead of an answer.
        found: Option<Found>,
    },
    /// The server has ended on it. A new one may take the handshake.
    Ended {
        reason: String,
    },
}

/// What came for `server/discover` from a server that does not know it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) text: String,
    /// The status of HTTP.
    pub(crate) status: Option<u16>,
}

impl Probed {
    fn legacy(found: impl ToString, status: Option<u16>) -> Self {
        Self::Legacy { found: Some(Found { text: found.to_string(), status }) }
    }
}

/// Asks with `server/discover`, and judges the answer by the rows of the specification.
///
/// # Errors
///
/// When the server is a stateless one, and yet there is no way to speak to it.
pub(crate) async fn probe(connection: &Arc<Connection>, settings: &Settings) -> Result<Probed, ConnectError> {
    let Some(preferred) = settings.versions.iter().copied().filter(|version| version.is_modern()).max() else {
        return Ok(Probed::Legacy { found: None });
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
        Some(_) => Ok(Probed::Legacy { found: None }),
        None => Err(ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs }),
    }
}

enum Discovered {
    Settled(Probed),
    Refused(UnsupportedVersion),
}

async fn discover(
    connection: &Arc<Connection>,
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
    let head = Head { method: "server/discover", version: Some(version), ..Head::default() };
    let mut request = Request::new(connection, head, params, Options { limits, ..Options::default() });
    Ok(Discovered::Settled(match outcome(&mut request).await {
        Ok(result) => discovered(connection, settings, meta, version, &result)?,
        Err(CallError::Closed { reason }) => Probed::Ended { reason },
        Err(CallError::Server(error)) => match UnsupportedVersion::read(&error) {
            Some(refusal) => return Ok(Discovered::Refused(refusal)),
            None if needs_capability(&error) => return Err(ConnectError::Server(error)),
            #[cfg(feature = "client-http")]
            None if matches!(connection.carrier, Carrier::Http(_)) => {
                by_status(connection, request.status(), error, version, meta)?
            }
            // Any other error says only that it did not understand: "MUST NOT be keyed to one code".
            None => Probed::legacy(&error, None),
        },
        // The server is there, and wants something else than a handshake: a token, or to be asked later.
        Err(CallError::Http { status, reason }) if !may_be_legacy(status) => {
            return Err(ConnectError::Http { status, reason });
        }
        Err(error @ CallError::Http { status, .. }) => Probed::legacy(error, Some(status)),
        Err(CallError::Unreachable { reason }) => return Err(ConnectError::Unreachable { reason }),
        // An old server may well ignore what it does not know, or answer nonsense.
        Err(error) => Probed::legacy(error, None),
    }))
}

/// Judges an error that came over HTTP.
///
/// "If the response body contains a recognized modern error, the server is modern", and with any other body of a 400 it
/// is not (Streamable HTTP, Backward Compatibility); 404 with -32601 is how a stateless server says that it does not
/// know a method.
///
/// # Errors
///
/// When a handshake would be of no use either.
#[cfg(feature = "client-http")]
fn by_status(
    connection: &Arc<Connection>,
    status: Option<u16>,
    error: ErrorObject,
    version: ProtocolVersion,
    meta: Vec<u8>,
) -> Result<Probed, ConnectError> {
    const MODERN: [ErrorCode; 3] =
        [ErrorCode::HEADER_MISMATCH, ErrorCode::MISSING_CLIENT_CAPABILITY, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION];
    match status {
        _ if MODERN.contains(&error.code) => Err(ConnectError::Server(error)),
        Some(404) if error.code == ErrorCode::METHOD_NOT_FOUND => {
            tracing::debug!("the server is a stateless one, and does not tell what it offers");
            connection.agree(version);
            let capabilities = ServerCapabilities::default();
            let agreed = Agreed { version, server: None, capabilities, instructions: None, meta };
            Ok(Probed::Modern(Box::new(agreed)))
        }
        Some(status) if !may_be_legacy(status) => Err(ConnectError::Server(error)),
        status => Ok(Probed::legacy(&error, status)),
    }
}

/// Whether a server that only knows the handshake refuses with that status what it does not know: most say 400, some
/// 404, 405, 406 or 422.
fn may_be_legacy(status: u16) -> bool {
    status < 300 || ((400..500).contains(&status) && ![401, 403, 407, 408, 429].contains(&status))
}

/// Reads the answer to `server/discover`.
fn discovered(
    connection: &Arc<Connection>,
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
        return Ok(Probed::legacy("an answer that can't be read", None));
    };
    let (version, meta) = if theirs.iter().any(|name| name == version.as_str()) {
        (version, meta)
    } else {
        match common(settings, &theirs) {
            Some(version) if version.is_modern() => (version, modern_meta(settings, version)),
            Some(_) => return Ok(Probed::Legacy { found: None }),
            None => return Err(ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs }),
        }
    };
    connection.agree(version);
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
    let capabilities = serde_json::to_string(&settings.declared(version)).expect("capabilities are plain data");
    format!(r#""{PROTOCOL_VERSION}":"{version}","{CLIENT_INFO}":{info},"{CLIENT_CAPABILITIES}":{capabilities}"#)
        .into_bytes()
}

/// Shakes hands: `initialize`, its answer, `notifications/initialized`.
///
/// # Errors
///
/// When the server refuses, ends, or answers with a version that this client does not speak.
pub(crate) async fn initialize(connection: &Arc<Connection>, settings: &Settings) -> Result<Agreed, ConnectError> {
    let no_common = |theirs| ConnectError::NoCommonVersion { ours: settings.versions.clone(), theirs };
    let Some(newest) = settings.versions.iter().copied().filter(|version| !version.is_modern()).max() else {
        return Err(no_common(Vec::new()));
    };
    let params = InitializeParams {
        protocol_version: newest.as_str(),
        capabilities: &settings.declared(newest),
        client_info: &settings.info,
    };
    let params = serde_json::to_vec(&params).expect("params are plain data");
    // "The `initialize` request MUST NOT be cancelled by clients" (2025-11-25, Cancellation).
    let head = Head { method: "initialize", ..Head::default() };
    let mut request = Request::new(connection, head, |out, _| out.extend_from_slice(&params), Options::default());
    let result = match outcome(&mut request).await {
        Ok(result) => result,
        Err(CallError::Server(error)) => return Err(ConnectError::Server(error)),
        Err(CallError::Closed { reason }) => return Err(ConnectError::Closed { reason }),
        Err(CallError::Http { status, reason }) => return Err(ConnectError::Http { status, reason }),
        Err(CallError::Unreachable { reason }) => return Err(ConnectError::Unreachable { reason }),
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
    connection.agree(version);
    connection.initialized().await;
    Ok(Agreed { version, server: server_info, capabilities, instructions, meta: Vec::new() })
}

/// Asks an older server for what a stateless one is asked for with each request.
pub(crate) async fn ready(connection: &Arc<Connection>, settings: &Settings, agreed: &Agreed) {
    if let Some(level) = settings.log_level
        && !agreed.version.is_modern()
        && agreed.capabilities.logging.is_some()
    {
        set_level(connection, level).await;
    }
}

/// Asks a server with a handshake to log from this level on.
pub(crate) async fn set_level(connection: &Arc<Connection>, level: LoggingLevel) {
    let limits = Limits { timeout: Some(SET_LEVEL), ..Limits::default() };
    let head = Head { method: "logging/setLevel", opens_session: true, ..Head::default() };
    let params = |out: &mut Vec<u8>, _| out.extend_from_slice(format!(r#"{{"level":"{level}"}}"#).as_bytes());
    let mut request = Request::new(connection, head, params, Options { limits, cancels: true, ..Options::default() });
    if let Err(error) = outcome(&mut request).await {
        tracing::warn!(%error, "the server does not log as it was asked to");
    }
}
