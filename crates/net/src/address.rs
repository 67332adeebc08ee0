//! Checks of the addresses of remote services (docs/design/0033-access-and-limits.md).
//!
//! A service is reached over https at a public address, or over loopback where the configuration allows it. Names are
//! resolved for each connection, and every resolved address is checked before a connection is made. So a name that
//! comes to point into a private network is refused when it is used, too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::TcpStream;

/// Checks that a remote service may be at this address.
///
/// # Errors
/// Returns the reason for a refusal, as a sentence for a person.
pub fn check_address(base: &str, allow_loopback: bool) -> Result<(), String> {
    Address::parse(base, allow_loopback).map(drop)
}

/// A checked base URL of a remote service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: String,
    reach: Reach,
}

/// The addresses that may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Loopback addresses only.
    Loopback,
    /// Public addresses only.
    Public,
    /// Addresses of the operator's own network too, and none of this machine. For a host that the configuration names and
    /// nothing that is received can change.
    Elsewhere,
}

impl Address {
    /// Parses and checks a base URL.
    ///
    /// # Errors
    /// Returns the reason for a refusal, as a sentence for a person.
    pub fn parse(base: &str, allow_loopback: bool) -> Result<Self, String> {
        // The error does not repeat the URL, which may contain a password.
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
        let reach = if here { Reach::Loopback } else { Reach::Public };
        Ok(Self { url: url.into(), reach })
    }

    /// Returns the URL of a relative path below the base.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.base())
    }

    /// Returns the URL without a slash at the end, to append paths to.
    #[must_use]
    pub fn base(&self) -> &str {
        self.url.trim_end_matches('/')
    }

    /// Returns the URL as it was given. Some servers treat `/mcp/` and `/mcp` as different resources.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.url
    }

    /// Returns true if both have the same scheme, host and port.
    #[must_use]
    pub fn same_origin(&self, other: &Self) -> bool {
        let origin = |address: &Self| Url::parse(&address.url).map(|url| url.origin());
        matches!((origin(self), origin(other)), (Ok(one), Ok(two)) if one == two)
    }

    /// Returns the addresses that may be connected to for this URL.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }
}

/// Returns true for a name or an address of this machine: `localhost`, `127.0.0.1`, `::1`.
#[must_use]
pub fn is_of_this_machine(host: &str) -> bool {
    is_localhost(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

fn is_localhost(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost")
}

impl Reach {
    fn admits(self, ip: IpAddr) -> bool {
        match self {
            Self::Loopback => ip.to_canonical().is_loopback(),
            Self::Public => is_public(ip),
            Self::Elsewhere => !ip.to_canonical().is_loopback() && !ip.is_unspecified(),
        }
    }
}

impl Reach {
    /// Connects to a host, if all its addresses are within reach.
    ///
    /// # Errors
    /// Returns a sentence for a person if one is not, or none answers.
    pub async fn connect(self, host: &str, port: u16) -> Result<TcpStream, String> {
        let found = self.addresses(host, port).await?;
        TcpStream::connect(found.as_slice())
            .await
            .map_err(|error| format!("cannot connect to {host}: {error}"))
    }

    /// Looks up a host's addresses, if all of them are within reach.
    ///
    /// # Errors
    /// Returns a sentence for a person if one is not, or there are none.
    pub async fn addresses(self, host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
        let cannot = |error: std::io::Error| format!("cannot connect to {host}: {error}");
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await.map_err(cannot)?.collect();
        if found.is_empty() || !found.iter().all(|address| self.admits(address.ip())) {
            return Err(format!("{host} has an address that may not be connected to"));
        }
        Ok(found)
    }
}

/// Resolves a name only if all its addresses are within reach.
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

/// Returns true for a public unicast address: not private, local, reserved, multicast, a cloud's metadata service, or an
/// IPv6 address that wraps an IPv4 one.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
    // In order: "this network"; carrier-grade NAT; protocol assignments and 6to4 relays; benchmarks; multicast and beyond.
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
    // Only 2000::/3 is routed. Within it are 2001::/23 (Teredo and other assignments), documentation, and 6to4.
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
            let address = Address::parse(good, false).unwrap();
            assert_eq!(address.reach(), Reach::Public);
            assert!(address.join("x").ends_with("/x") && !address.base().ends_with('/'), "{good}");
        }
        assert!(Address::parse("http://8.8.8.8/v1", true).is_err(), "https only");
    }

    #[test]
    fn a_slash_at_the_end_is_part_of_an_endpoint_and_of_no_base() {
        for (said, endpoint, below) in [
            ("https://h.example.com", "https://h.example.com/", "https://h.example.com/x"),
            ("https://h.example.com/mcp", "https://h.example.com/mcp", "https://h.example.com/mcp/x"),
            ("https://h.example.com/mcp/", "https://h.example.com/mcp/", "https://h.example.com/mcp/x"),
        ] {
            let address = Address::parse(said, false).unwrap();
            assert_eq!((address.endpoint(), address.join("x").as_str()), (endpoint, below));
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
            assert_eq!(Address::parse(here, true).unwrap().reach(), Reach::Loopback, "{here}");
            let why = Address::parse(here, false).unwrap_err();
            assert!(why.contains("allow_loopback"), "{why}");
        }
    }

    /// Covers every notation of private, local and reserved addresses: octal, hexadecimal, shortened, IPv4 in IPv6.
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
            assert!(Address::parse(&format!("https://{host}/v1"), false).is_err(), "{host}");
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
            assert!(Address::parse(more, true).is_err(), "{more}");
        }
        for private in ["http://10.0.0.1", "https://10.0.0.1", "https://169.254.169.254", "https://[fd00::1]"]
        {
            assert!(
                Address::parse(private, true).is_err(),
                "allowing this machine allows no other: {private}"
            );
        }
    }

    /// A name may resolve differently than when the configuration was checked, so resolution checks again.
    #[tokio::test]
    async fn a_name_is_checked_by_what_it_resolves_to() {
        let name = || "localhost".parse::<Name>().unwrap();
        assert!(Reach::Loopback.resolve(name()).await.is_ok());
        let why = Reach::Public.resolve(name()).await.err().unwrap().to_string();
        assert!(why.contains("may not be connected to"), "{why}");
    }

    /// A mail server of the operator may be in a private network, and on this machine only if that was said.
    #[tokio::test]
    async fn elsewhere_is_everywhere_but_here() {
        for (ip, admitted) in
            [("10.0.0.7", true), ("8.8.8.8", true), ("127.0.0.1", false), ("0.0.0.0", false)]
        {
            assert_eq!(Reach::Elsewhere.admits(ip.parse().unwrap()), admitted, "{ip}");
        }
        assert!(!Reach::Elsewhere.admits("::ffff:127.0.0.1".parse().unwrap()));
        assert!(Reach::Elsewhere.addresses("localhost", 25).await.is_err());
        assert_eq!(Reach::Loopback.addresses("127.0.0.1", 25).await.unwrap().len(), 1);
        for (host, here) in
            [("localhost", true), ("127.0.0.9", true), ("::1", true), ("mail.example.org", false)]
        {
            assert_eq!(is_of_this_machine(host), here, "{host}");
        }
    }
}
