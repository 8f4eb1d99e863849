//! The public keys of an issuer.

use std::sync::Arc;

use jsonwebtoken::crypto::aws_lc;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

/// How a token says that it is signed.
#[derive(Clone, Copy)]
pub(super) struct Signed<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) kid: Option<&'a str>,
}

/// The algorithm of that name, if it has a public key. With a shared secret whoever checks a token could make one too;
/// and `none` is no signature.
pub(super) fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "RS256" => Algorithm::RS256,
        "RS384" => Algorithm::RS384,
        "RS512" => Algorithm::RS512,
        "PS256" => Algorithm::PS256,
        "PS384" => Algorithm::PS384,
        "PS512" => Algorithm::PS512,
        "ES256" => Algorithm::ES256,
        "ES384" => Algorithm::ES384,
        // RFC 9864 gives the first the name of its curve.
        "EdDSA" | "Ed25519" => Algorithm::EdDSA,
        _ => return None,
    })
}

/// The keys of a JSON Web Key Set that a signature may be checked with.
pub(super) struct KeySet(Vec<Arc<Key>>);

impl KeySet {
    /// Keys of other kinds, and those that can't be read, are left out: they are for others.
    pub(super) fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Jwks {
            keys: Vec<Value>,
        }

        let Jwks { keys } = serde_json::from_slice(json)?;
        Ok(Self(
            keys.into_iter().filter_map(|key| Some(Arc::new(Key::read(serde_json::from_value(key).ok()?)?))).collect(),
        ))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key that a token was signed with: the one of that name, or without a name the only one that fits.
    pub(super) fn find(&self, signed: Signed<'_>) -> Option<&Arc<Key>> {
        let mut fitting = self.0.iter().filter(|key| key.fits(signed.algorithm));
        if signed.kid.is_some() {
            return fitting.find(|key| key.kid.as_deref() == signed.kid);
        }
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// A key of a set.
pub(super) struct Key {
    kid: Option<String>,
    /// What it may be used for: all of its kind, or the one that it names.
    algorithms: &'static [Algorithm],
    only: Option<Algorithm>,
    decoding: DecodingKey,
}

impl Key {
    fn read(jwk: Jwk) -> Option<Self> {
        let is_for_signatures = jwk.usage.is_none_or(|usage| usage == "sig")
            && jwk.key_ops.is_none_or(|operations| operations.iter().any(|operation| operation == "verify"));
        if !is_for_signatures {
            return None;
        }
        let only = match jwk.alg {
            Some(name) => Some(algorithm(&name)?),
            None => None,
        };
        let (algorithms, decoding): (&'static [Algorithm], _) = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => (&RSA, DecodingKey::from_rsa_components(&jwk.n?, &jwk.e?)),
            ("EC", Some("P-256")) => (&[Algorithm::ES256], DecodingKey::from_ec_components(&jwk.x?, &jwk.y?)),
            ("EC", Some("P-384")) => (&[Algorithm::ES384], DecodingKey::from_ec_components(&jwk.x?, &jwk.y?)),
            ("OKP", Some("Ed25519")) => (&[Algorithm::EdDSA], DecodingKey::from_ed_components(&jwk.x?)),
            _ => return None,
        };
        Some(Self { kid: jwk.kid, algorithms, only, decoding: decoding.ok()? })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm) && self.only.is_none_or(|only| only == algorithm)
    }

    /// Whether the message was signed with it.
    pub(super) fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: Vec<u8>) -> bool {
        // Not the provider of the process: another crate could have installed one, or none could be found.
        (aws_lc::DEFAULT_PROVIDER.verifier_factory)(&algorithm, &self.decoding)
            .is_ok_and(|verifier| verifier.verify(message, &signature).is_ok())
    }
}

const RSA: [Algorithm; 6] =
    [Algorithm::RS256, Algorithm::RS384, Algorithm::RS512, Algorithm::PS256, Algorithm::PS384, Algorithm::PS512];

/// RFC 7517, section 4, and RFC 7518, section 6.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The names of all keys of which one is found for an algorithm, with or without its name.
    fn found(keys: &Value, name: &str) -> (Vec<String>, bool) {
        let set = KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap();
        let algorithm = algorithm(name).unwrap();
        let named = set.0.iter().filter_map(|key| key.kid.as_deref());
        let named = named.filter(|kid| set.find(Signed { algorithm, kid: Some(kid) }).is_some()).map(str::to_owned);
        (named.collect(), set.find(Signed { algorithm, kid: None }).is_some())
    }

    #[test]
    fn only_a_key_that_fits_is_found() {
        let keys = json!([
            { "kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB" },
            { "kty": "RSA", "kid": "ps", "n": "AQAB", "e": "AQAB", "alg": "PS256", "use": "sig" },
            { "kty": "RSA", "kid": "enc", "n": "AQAB", "e": "AQAB", "use": "enc" },
            { "kty": "RSA", "kid": "oaep", "n": "AQAB", "e": "AQAB", "alg": "RSA-OAEP" },
            { "kty": "EC", "kid": "p256", "crv": "P-256", "x": "AQAB", "y": "AQAB", "key_ops": ["verify"] },
            { "kty": "EC", "kid": "signs", "crv": "P-256", "x": "AQAB", "y": "AQAB", "key_ops": ["sign"] },
            { "kty": "EC", "kid": "p384", "crv": "P-384", "x": "AQAB", "y": "AQAB" },
            { "kty": "EC", "kid": "p521", "crv": "P-521", "x": "AQAB", "y": "AQAB" },
            { "kty": "EC", "kid": "no y", "crv": "P-256", "x": "AQAB" },
            { "kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": "AQAB", "alg": "Ed25519" },
            { "kty": "OKP", "kid": "x", "crv": "X25519", "x": "AQAB" },
            { "kty": "oct", "kid": "secret", "k": "AQAB" },
            { "kid": "nothing" },
            "no key",
        ]);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(found(&keys, "RS256"), (names(&["rsa"]), true));
        assert_eq!(found(&keys, "PS256"), (names(&["rsa", "ps"]), false));
        assert_eq!(found(&keys, "ES256"), (names(&["p256"]), true));
        assert_eq!(found(&keys, "ES384"), (names(&["p384"]), true));
        assert_eq!(found(&keys, "EdDSA"), (names(&["ed"]), true));
        assert_eq!(found(&json!([]), "RS256"), (vec![], false));
    }

    // rows: AUTH-5
    #[test]
    fn an_algorithm_has_a_public_key() {
        for name in ["none", "None", "", "HS256", "HS384", "HS512", "rs256", "ES256K", "RSA-OAEP"] {
            assert_eq!(algorithm(name), None, "{name}");
        }
        for name in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "Ed25519"] {
            assert!(algorithm(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_no_key_set_is_an_error() {
        for text in ["", "{}", "[]", r#"{"keys":{}}"#] {
            assert!(KeySet::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
