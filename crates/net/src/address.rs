//! Where a far side may be (`spec 06 §7.3`): https to a public address, or this machine where that is allowed.
//!
//! A name is resolved once per connection and every address is checked before anything connects to it, so a name that
//! points inside is found out when it is used, not only when it is configured.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Whether a far side may be at that address.
///
/// # Errors
/// Why not, for a person to read.
pub fn check_address(base: &str, allow_loopback: bool) -> Result<(), String> {
    Address::read(base, allow_loopback).map(drop)
}

/// A checked address of a far side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: String,
    reach: Reach,
}

/// Which addresses may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of this machine.
    Here,
    /// Public ones.
    Public,
}

impl Address {
    /// Reads a base address.
    ///
    /// # Errors
    /// Why it may not be used, for a person to read.
    pub fn read(base: &str, allow_loopback: bool) -> Result<Self, String> {
        // What cannot be used is not repeated: it may hold a password.
        let url = Url::parse(base).map_err(|error| format!("it is no address: {error}"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let ip = host.parse::<IpAddr>().ok();
        let here = is_localhost(host) || ip.is_some_and(|ip| ip.is_loopback());
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some()
        {
            return Err(format!("the address of {host} holds more than scheme, host, port and path"));
        }
        match url.scheme() {
            "http" | "https" if here && allow_loopback => {}
            "http" | "https" if here => {
                return Err(format!("“{base}” is on this machine; say allow_loopback = true to use it"));
            }
            "https" => {}
            _ => return Err(format!("“{base}” is not https")),
        }
        if !here && ip.is_some_and(|ip| !is_public(ip)) {
            return Err(format!("“{base}” is no public address"));
        }
        let reach = if here { Reach::Here } else { Reach::Public };
        Ok(Self { url: url.into(), reach })
    }

    /// The address of a path under it.
    #[must_use]
    pub fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.base())
    }

    /// What paths are put under: the address without a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        self.url.trim_end_matches('/')
    }

    /// The address itself, as it was said: to some servers `/mcp/` is another place than `/mcp`.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.url
    }

    /// Whether both are the same scheme, host and port.
    #[must_use]
    pub fn same_place(&self, other: &Self) -> bool {
        let origin = |address: &Self| Url::parse(&address.url).map(|url| url.origin());
        matches!((origin(self), origin(other)), (Ok(one), Ok(two)) if one == two)
    }

    /// Which addresses may be connected to for it.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }
}

fn is_localhost(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost")
}

impl Reach {
    fn admits(self, ip: IpAddr) -> bool {
        match self {
            Self::Here => ip.to_canonical().is_loopback(),
            Self::Public => is_public(ip),
        }
    }
}

/// Resolves names to addresses within reach, and to nothing else.
impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = *self;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            if found.is_empty() || !found.iter().all(|address| reach.admits(address.ip())) {
                return Err(format!("{} has an address that may not be connected to", name.as_str()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// A public unicast address: nothing private, local, reserved, multicast, of a cloud's metadata, or one that wraps an
/// IPv4 address.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
    // "This network"; carrier-grade NAT; protocol assignments and 6to4 relays; benchmarks; multicast and beyond.
    let reserved = a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 224;
    !special && !reserved
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [first, second, ..] = ip.segments();
    // 2000::/3 is what is routed; in it, 2001::/23 (Teredo and other assignments), documentation, and 6to4.
    let global = first & 0xe000 == 0x2000;
    let special = match first {
        0x2001 => second < 0x0200 || second == 0x0db8,
        0x2002 | 0x3fff => true,
        _ => false,
    };
    global && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_https_and_nothing_else() {
        for good in ["https://api.openai.com/v1", "https://8.8.8.8/v1/", "https://[2606:4700::1111]:8443"] {
            let address = Address::read(good, false).unwrap();
            assert_eq!(address.reach(), Reach::Public);
            assert!(address.at("x").ends_with("/x") && !address.base().ends_with('/'), "{good}");
        }
        assert!(Address::read("http://8.8.8.8/v1", true).is_err(), "https only");
    }

    #[test]
    fn a_slash_at_the_end_is_part_of_an_endpoint_and_of_no_base() {
        for (said, endpoint, below) in [
            ("https://h.example.com", "https://h.example.com/", "https://h.example.com/x"),
            ("https://h.example.com/mcp", "https://h.example.com/mcp", "https://h.example.com/mcp/x"),
            ("https://h.example.com/mcp/", "https://h.example.com/mcp/", "https://h.example.com/mcp/x"),
        ] {
            let address = Address::read(said, false).unwrap();
            assert_eq!((address.endpoint(), address.at("x").as_str()), (endpoint, below));
        }
    }

    #[test]
    fn this_machine_only_where_it_is_allowed() {
        for here in [
            "http://127.0.0.1:8000/v1",
            "http://localhost:1",
            "http://api.localhost",
            "https://[::1]:1",
            "http://2130706433/",
            "http://0x7f.1/",
        ] {
            assert_eq!(Address::read(here, true).unwrap().reach(), Reach::Here, "{here}");
            let why = Address::read(here, false).unwrap_err();
            assert!(why.contains("allow_loopback"), "{why}");
        }
    }

    /// The forms of `spec 06 §8`, SEC-39: every way to write an address that is not the world's.
    #[test]
    fn sixty_forms_that_lead_inside_are_refused_before_anything_connects() {
        let hosts = [
            "127.0.0.1",
            "127.1",
            "127.255.255.254",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0x7f.0.0.1",
            "017700000001",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "0.0.0.0",
            "0",
            "0.1.2.3",
            "[::]",
            "10.0.0.1",
            "10.255.255.255",
            "167772161",
            "0xa000001",
            "012.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.1",
            "3232235521",
            "169.254.169.254",
            "169.254.0.1",
            "2852039166",
            "0xa9fea9fe",
            "0251.0376.0251.0376",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[fd00:ec2::254]",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "[fe80::1]",
            "[fc00::1]",
            "[fdff::1]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[2001::1]",
            "[2002:7f00:1::]",
            "[64:ff9b::7f00:1]",
            "[::127.0.0.1]",
            "[::ffff:10.0.0.1]",
        ];
        assert!(hosts.len() >= 60, "{}", hosts.len());
        for host in hosts {
            assert!(Address::read(&format!("https://{host}/v1"), false).is_err(), "{host}");
        }
        for more in [
            "https://user@api.openai.com",
            "https://user:pass@api.openai.com",
            "https://api.openai.com?x=1",
            "https://api.openai.com#x",
            "ftp://api.openai.com",
            "file:///etc/passwd",
            "gopher://x",
            "//x",
            "x",
            "",
        ] {
            assert!(Address::read(more, true).is_err(), "{more}");
        }
        for private in ["http://10.0.0.1", "https://10.0.0.1", "https://169.254.169.254", "https://[fd00::1]"]
        {
            assert!(
                Address::read(private, true).is_err(),
                "allowing this machine allows no other: {private}"
            );
        }
    }

    /// A name that leads inside is refused when it is resolved, whatever the configuration saw.
    #[tokio::test]
    async fn a_name_is_checked_by_what_it_resolves_to() {
        let name = || "localhost".parse::<Name>().unwrap();
        assert!(Reach::Here.resolve(name()).await.is_ok());
        let why = Reach::Public.resolve(name()).await.err().unwrap().to_string();
        assert!(why.contains("may not be connected to"), "{why}");
    }
}
