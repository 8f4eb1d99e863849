//! Whether a host is this machine and nothing else.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a name or an address, as it stands in a URL, leads to this machine: `localhost` and names in it, and the
/// addresses of the loopback, however they are written.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return address.parse().is_ok_and(|address: Ipv6Addr| address.to_canonical().is_loopback());
    }
    let is_name_in_it = || {
        let at = host.len().checked_sub(".localhost".len());
        at.and_then(|at| host.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(".localhost"))
    };
    host.eq_ignore_ascii_case("localhost")
        || is_name_in_it()
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        || short(host).is_some_and(|address| address.is_loopback())
}

/// An address that is written as some resolvers take it: `127.1`, or as one number.
fn short(host: &str) -> Option<Ipv4Addr> {
    let parts = host.split('.').map(|part| part.parse::<u32>().ok());
    let parts: Vec<u32> = parts.collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 3)?;
    let mut address = u64::from(*last);
    for (at, part) in first.iter().enumerate() {
        address += u64::from(u8::try_from(*part).ok()?) << (24 - 8 * at);
    }
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_however_it_is_written() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "app.localhost",
            "127.0.0.1",
            "127.9.8.7",
            "127.1",
            "2130706433",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            ".",
            "localhost.example",
            "mylocalhost",
            "127.0.0.1.example",
            "128.1",
            "10.0.0.1",
            "[::2]",
            "[::ffff:10.0.0.1]",
            "4294967296",
            "éé.localhosts",
            "[localhost]",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
