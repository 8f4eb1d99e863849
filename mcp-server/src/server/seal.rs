//! What travels through the client and comes back: sealed, so that nobody on the way can read, change or reuse it.
//!
//! A `requestState` lies in the hands of the client between two requests. "Servers MUST treat `requestState` as
//! attacker-controlled input": it is encrypted and authenticated, and holds only for the request that it was made for.
//!
//! Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};

/// The key that seals what a server gives to a client for safekeeping.
///
/// A server on its own needs none: it makes one up when it starts. Several that answer for each other, or one that is
/// to know its own state after a restart, share a key of 32 random bytes.
///
/// ```
/// use mcp_server::StateKey;
///
/// // From `openssl rand -base64 32`, kept where secrets are kept.
/// let key = StateKey::from_base64("ZXhhbXBsZXMgc2hvdWxkIG5ldmVyIGJlIHNlY3JldHM=")?;
/// # Ok::<(), mcp_server::InvalidStateKey>(())
/// ```
///
/// Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
#[derive(Clone)]
pub struct StateKey([u8; 32]);

impl StateKey {
    /// A key from the random numbers of the operating system.
    ///
    /// # Panics
    ///
    /// If the operating system has no random numbers to give.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// A key of 32 bytes in base64, as `openssl rand -base64 32` writes it; the URL-safe alphabet, padding or none, and
    /// space around it are fine too.
    ///
    /// # Errors
    ///
    /// If `text` is not base64, or not of 32 bytes.
    pub fn from_base64(text: &str) -> Result<Self, InvalidStateKey> {
        let text = text.trim().trim_end_matches('=').replace('+', "-").replace('/', "_");
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidStateKey(None))?;
        let bytes = <[u8; 32]>::try_from(bytes).map_err(|bytes| InvalidStateKey(Some(bytes.len())))?;
        Ok(Self(bytes))
    }
}

impl From<[u8; 32]> for StateKey {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for StateKey {
    /// Nothing of the key: what is written for debugging ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey(..)")
    }
}

/// A text that is no [`StateKey`]. What it says repeats nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidStateKey(Option<usize>);

impl fmt::Display for InvalidStateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("the state key is not base64; `openssl rand -base64 32` makes one"),
            Some(length) => {
                write!(f, "the state key has {length} bytes, expected 32; `openssl rand -base64 32` makes one")
            }
        }
    }
}

impl std::error::Error for InvalidStateKey {}

/// Seals states and opens them again.
#[derive(Clone, Debug)]
pub(crate) struct Seal {
    keys: Vec<StateKey>,
}

/// The request that a state belongs to. It opens for this one and no other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    /// `tools/call`.
    pub(crate) method: &'a str,
    /// What tells one request of the method from another: name or URI, and the arguments, as a [canonical] text.
    ///
    /// [canonical]: super::canonical::canonical
    pub(crate) params: &'a str,
    /// Who asks, where that is known.
    pub(crate) principal: Option<&'a str>,
}

/// Why a state can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It is not a sealed state at all.
    Malformed,
    /// It was changed on the way, or sealed with another key, for another request, or for somebody else. Which of these
    /// can't be told, and would only help an attacker.
    Foreign,
    /// It was all right once.
    Expired,
}

/// The first byte of what is sealed. Another layout gets another number.
const VERSION: u8 = 1;
const NONCE: usize = 24;
const TAG: usize = 16;
/// The expiry, in milliseconds since 1970.
const EXPIRY: usize = 8;
/// What a client may hand in at most, as base64. More than this was never given out by a sane handler.
const LONGEST: usize = 512 * 1024;
/// What can be sealed, so that it can be opened again.
pub(crate) const MOST: usize = LONGEST / 4 * 3 - 1024;

impl Seal {
    /// The first key seals, and every key opens. A key is replaced by putting the new one in front, and taking the old
    /// one out when all that it has sealed has expired. Without a key, one is made up.
    pub(crate) fn new(keys: Vec<StateKey>) -> Self {
        Self { keys: if keys.is_empty() { vec![StateKey::random()] } else { keys } }
    }

    /// The text for the client: version, nonce, and the encrypted expiry and state, in base64. A state of more than 380 KiB
    /// is too long to be opened again.
    pub(crate) fn seal(&self, state: &[u8], bound_to: &Binding<'_>, expires_at: SystemTime) -> String {
        // At 24 bytes a random nonce never comes twice, so that servers with one key need not agree on a count.
        let nonce: [u8; NONCE] = random_bytes();
        let mut inner = Vec::with_capacity(EXPIRY + state.len());
        inner.extend(millis(expires_at).to_be_bytes());
        inner.extend(state);
        let associated = bound_to.encode();
        let sealed = XChaCha20Poly1305::new(&self.keys[0].0.into())
            .encrypt(&XNonce::from(nonce), Payload { msg: &inner, aad: &associated })
            .expect("a state is far from the 256 GiB that the cipher can take");
        let mut bytes = Vec::with_capacity(1 + NONCE + sealed.len());
        bytes.push(VERSION);
        bytes.extend(nonce);
        bytes.extend(sealed);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The state in `sealed`, if it was sealed for this request and is still good.
    pub(crate) fn open(&self, sealed: &str, bound_to: &Binding<'_>, now: SystemTime) -> Result<Vec<u8>, Refused> {
        if sealed.len() > LONGEST {
            return Err(Refused::Malformed);
        }
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| Refused::Malformed)?;
        let (nonce, sealed) = match bytes.split_first() {
            Some((&VERSION, rest)) if rest.len() >= NONCE + EXPIRY + TAG => rest.split_at(NONCE),
            _ => return Err(Refused::Malformed),
        };
        let nonce = <[u8; NONCE]>::try_from(nonce).map_err(|_| Refused::Malformed)?.into();
        let associated = bound_to.encode();
        let open = |key: &StateKey| {
            XChaCha20Poly1305::new(&key.0.into()).decrypt(&nonce, Payload { msg: sealed, aad: &associated }).ok()
        };
        let mut inner = self.keys.iter().find_map(open).ok_or(Refused::Foreign)?;
        let expiry = inner.first_chunk::<EXPIRY>().copied().map(u64::from_be_bytes).ok_or(Refused::Malformed)?;
        if millis(now) >= expiry {
            return Err(Refused::Expired);
        }
        inner.drain(..EXPIRY);
        Ok(inner)
    }
}

impl Binding<'_> {
    /// Each part with its length in front, so that no two bindings have one text.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        for part in [Some(self.method), Some(self.params), self.principal] {
            // Nobody known is not the same as somebody without a name.
            bytes.push(u8::from(part.is_some()));
            let part = part.unwrap_or_default().as_bytes();
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// An id that nobody guesses.
pub(crate) fn random_id() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<16>())
}

fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: SystemTime = UNIX_EPOCH;

    fn later(seconds: u64) -> SystemTime {
        NOW + Duration::from_secs(seconds)
    }

    fn key(byte: u8) -> StateKey {
        StateKey::from([byte; 32])
    }

    /// Opens what was sealed for `tools/call`, `params` and `principal` as if this came back with it.
    #[track_caller]
    fn check_bound(other: Binding<'_>, opens: bool) {
        let params = r#"{"arguments":{"sum":10,"to":"anna"},"name":"pay"}"#;
        let own = Binding { method: "tools/call", params, principal: Some("anna") };
        let seal = Seal::new(Vec::new());
        let sealed = seal.seal(b"state", &own, later(60));
        let expected = if opens { Ok(b"state".to_vec()) } else { Err(Refused::Foreign) };
        assert_eq!(seal.open(&sealed, &other, NOW), expected);
        assert_eq!(seal.open(&sealed, &own, NOW).as_deref(), Ok(b"state".as_slice()));
    }

    fn binding(params: &str) -> Binding<'_> {
        Binding { method: "tools/call", params, principal: None }
    }

    // rows: MRTR-13
    #[test]
    fn a_changed_state_is_refused_wherever_it_was_changed() {
        let seal = Seal::new(Vec::new());
        let params = r#"{"name":"deploy"}"#;
        for state in [b"".as_slice(), b"step 2"] {
            let sealed = seal.seal(state, &binding(params), later(60));
            assert_eq!(seal.open(&sealed, &binding(params), NOW).as_deref(), Ok(state));
            let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
            for at in 0..bytes.len() {
                for flip in [1, 0x80] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= flip;
                    let refused = if at == 0 { Refused::Malformed } else { Refused::Foreign };
                    let changed = URL_SAFE_NO_PAD.encode(bytes);
                    assert_eq!(seal.open(&changed, &binding(params), NOW), Err(refused), "byte {at}");
                }
            }
            for at in 0..sealed.len() {
                let mut text = sealed.clone().into_bytes();
                text[at] = if text[at] == b'A' { b'B' } else { b'A' };
                assert!(seal.open(str::from_utf8(&text).unwrap(), &binding(params), NOW).is_err(), "character {at}");
            }
            assert!(seal.open(&sealed[..sealed.len() - 4], &binding(params), NOW).is_err());
            assert!(seal.open(&format!("{sealed}-TAMPERED"), &binding(params), NOW).is_err());
        }
    }

    // rows: MRTR-14
    #[test]
    fn a_state_opens_for_its_own_request_alone() {
        let params = r#"{"arguments":{"sum":10,"to":"anna"},"name":"pay"}"#;
        let own = Binding { method: "tools/call", params, principal: Some("anna") };
        check_bound(own, true);
        check_bound(Binding { method: "prompts/get", ..own }, false);
        check_bound(Binding { principal: Some("bob"), ..own }, false);
        check_bound(Binding { principal: Some(""), ..own }, false);
        check_bound(Binding { principal: None, ..own }, false);
        for other in [
            r#"{"arguments":{"sum":11,"to":"anna"},"name":"pay"}"#,
            r#"{"arguments":{"sum":"10","to":"anna"},"name":"pay"}"#,
            r#"{"arguments":{"to":"anna"},"name":"pay"}"#,
            r#"{"arguments":{"sum":10,"to":"anna"},"name":"repay"}"#,
            "{}",
            "null",
        ] {
            check_bound(Binding { params: other, ..own }, false);
        }
    }

    #[test]
    fn two_bindings_never_have_one_text() {
        let of = |method: &str, principal: Option<&str>| Binding { method, params: "x", principal }.encode();
        assert_ne!(of("a", Some("b")), of("ab", Some("")));
        assert_ne!(of("a", None), of("a", Some("")));
    }

    // rows: MRTR-14
    #[test]
    fn a_state_expires() {
        let seal = Seal::new(Vec::new());
        let params = "{}";
        let sealed = seal.seal(b"state", &binding(params), later(60));
        assert!(seal.open(&sealed, &binding(params), later(59)).is_ok());
        assert_eq!(seal.open(&sealed, &binding(params), later(60)), Err(Refused::Expired));
        assert_eq!(seal.open(&sealed, &binding(params), later(1_000_000)), Err(Refused::Expired));
    }

    // rows: MRTR-17
    #[test]
    fn servers_with_one_key_open_what_the_other_has_sealed() {
        let params = r#"{"name":"deploy"}"#;
        let [one, other] = [(); 2].map(|()| Seal::new(vec![key(7)]));
        let sealed = one.seal(b"state", &binding(params), later(60));
        assert_eq!(other.open(&sealed, &binding(params), NOW).as_deref(), Ok(b"state".as_slice()));
        assert_eq!(Seal::new(Vec::new()).open(&sealed, &binding(params), NOW), Err(Refused::Foreign));
        assert_ne!(one.seal(b"state", &binding(params), later(60)), sealed, "a nonce came twice");
    }

    #[test]
    fn a_key_can_be_replaced_while_its_states_are_on_their_way() {
        let params = "{}";
        let old = Seal::new(vec![key(1)]);
        let both = Seal::new(vec![key(2), key(1)]);
        let new = Seal::new(vec![key(2)]);
        let by_old = old.seal(b"old", &binding(params), later(60));
        let by_both = both.seal(b"new", &binding(params), later(60));
        assert_eq!(both.open(&by_old, &binding(params), NOW).as_deref(), Ok(b"old".as_slice()));
        assert_eq!(new.open(&by_both, &binding(params), NOW).as_deref(), Ok(b"new".as_slice()));
        assert_eq!(old.open(&by_both, &binding(params), NOW), Err(Refused::Foreign));
        assert_eq!(new.open(&by_old, &binding(params), NOW), Err(Refused::Foreign));
    }

    // rows: MRTR-13
    #[test]
    fn garbage_is_refused() {
        let seal = Seal::new(Vec::new());
        let params = "{}";
        let short = URL_SAFE_NO_PAD.encode([VERSION; NONCE + EXPIRY + TAG]);
        let foreign = URL_SAFE_NO_PAD.encode([VERSION; 1 + NONCE + EXPIRY + TAG]);
        let long = "A".repeat(1 << 20);
        for garbage in ["", "A", "====", "not base64!", "🦀🦀🦀🦀", "\0\0", &short, &long] {
            assert_eq!(seal.open(garbage, &binding(params), NOW), Err(Refused::Malformed), "{garbage:.20}");
        }
        assert_eq!(seal.open(&foreign, &binding(params), NOW), Err(Refused::Foreign));
        let long = URL_SAFE_NO_PAD.encode([VERSION; LONGEST / 2]);
        assert_eq!(seal.open(&long, &binding(params), NOW), Err(Refused::Foreign));
    }

    #[test]
    fn a_key_is_read_as_openssl_writes_it_and_shown_to_nobody() {
        let text = "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=";
        let read = |text: &str| StateKey::from_base64(text).map(|key| key.0);
        let key = StateKey::from_base64(text).unwrap();
        assert_eq!(read(&format!(" {}\n", text.replace('+', "-").replace('/', "_"))), Ok(key.0));
        assert_eq!(read(text.trim_end_matches('=')), Ok(key.0));
        assert_eq!(format!("{key:?} {:?}", Seal::new(vec![key.clone()])), "StateKey(..) Seal { keys: [StateKey(..)] }");
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(error("secret!"), "the state key is not base64; `openssl rand -base64 32` makes one");
        assert_eq!(error("c2hvcnQ="), "the state key has 5 bytes, expected 32; `openssl rand -base64 32` makes one");
        assert_ne!(StateKey::random().0, StateKey::random().0);
    }
}
