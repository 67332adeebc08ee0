//! One GET of one text from a Redis server, by hand: four commands of RESP need no client library.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use throughline_engine::context::import::MAX_BYTES;

/// How long connecting, and each part of an answer, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest line of an answer.
const LINE: u64 = 4_096;

/// A server, and a database in it. A password is never part of its address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Redis {
    host: String,
    port: u16,
    user: Option<String>,
    database: u32,
}

/// Why an address cannot be used. None of it is repeated: it may hold what was meant to be secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    Scheme,
    Password,
    Form,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "it does not begin with redis://",
            Self::Password => {
                "it holds a password, which other processes can read: use --redis-password-file"
            }
            Self::Form => "it is not a host, a port and the number of a database",
        })
    }
}

impl std::error::Error for Unusable {}

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum Error {
    /// No answer, or none of a Redis server.
    Unreachable(io::Error),
    /// Redis said no.
    Refused(String),
    /// There is no such key.
    Missing,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) => error.fmt(f),
            Self::Refused(said) => write!(f, "Redis said: {said}"),
            Self::Missing => f.write_str("there is no such key"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error)
    }
}

impl FromStr for Redis {
    type Err = Unusable;

    fn from_str(url: &str) -> Result<Self, Unusable> {
        let rest = url.strip_prefix("redis://").ok_or(Unusable::Scheme)?;
        let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = place.rsplit_once('@').map_or((None, place), |(user, place)| (Some(user), place));
        if user.is_some_and(|user| user.contains(':')) || rest.contains('?') {
            return Err(Unusable::Password);
        }
        // The brackets of an IPv6 address hold colons of their own.
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| Unusable::Form)?),
            _ => (place, 6379),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let database = if database.is_empty() { Ok(0) } else { database.parse() };
        if host.is_empty() || host.contains(['/', '@', ' ']) {
            return Err(Unusable::Form);
        }
        Ok(Self {
            host: host.into(),
            port,
            user: user.filter(|user| !user.is_empty()).map(Into::into),
            database: database.map_err(|_| Unusable::Form)?,
        })
    }
}

impl Redis {
    /// Where it is.
    pub(crate) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The text under a key.
    pub(crate) fn get(&self, key: &str, password: Option<&str>) -> Result<Vec<u8>, Error> {
        let mut answers = BufReader::new(self.connected()?);
        let mut asked = |command: &[&str]| -> Result<Option<Vec<u8>>, Error> {
            answers.get_mut().write_all(&encoded(command))?;
            answer(&mut answers)
        };
        match (self.user.as_deref(), password) {
            (Some(user), Some(password)) => drop(asked(&["AUTH", user, password])?),
            (None, Some(password)) => drop(asked(&["AUTH", password])?),
            (_, None) => {}
        }
        if self.database > 0 {
            asked(&["SELECT", &self.database.to_string()])?;
        }
        asked(&["GET", key])?.ok_or(Error::Missing)
    }

    fn connected(&self) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (self.host.as_str(), self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(PATIENCE))?;
                    stream.set_write_timeout(Some(PATIENCE))?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// A command: an array of texts.
fn encoded(command: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", command.len());
    for word in command {
        bytes.push_str(&format!("${}\r\n{word}\r\n", word.len()));
    }
    bytes.into_bytes()
}

/// One answer: a status, a text, or nothing.
fn answer(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, Error> {
    let strange =
        |what: &str| Error::Unreachable(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()));
    let mut line = Vec::new();
    from.take(LINE).read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    let Some(line) = line.strip_suffix("\r\n") else {
        return Err(strange("it does not answer as Redis does"));
    };
    match line.split_at_checked(1) {
        Some(("+", said)) => Ok(Some(said.as_bytes().to_vec())),
        Some(("-", said)) => Err(Error::Refused(said.into())),
        Some(("$", "-1")) => Ok(None),
        Some(("$", length)) => {
            let length: usize = length.parse().map_err(|_| strange("it does not answer as Redis does"))?;
            if length > MAX_BYTES {
                return Err(Error::Refused(format!(
                    "the text has {length} bytes; at most {MAX_BYTES} are read"
                )));
            }
            let mut text = vec![0; length + 2];
            from.read_exact(&mut text)?;
            text.truncate(length);
            Ok(Some(text))
        }
        _ => Err(strange("it does not answer as Redis does")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_a_port_and_a_database() {
        let redis = |url: &str| url.parse::<Redis>();
        let at = |host: &str, port, user: Option<&str>, database| Redis {
            host: host.into(),
            port,
            user: user.map(Into::into),
            database,
        };
        assert_eq!(redis("redis://localhost"), Ok(at("localhost", 6379, None, 0)));
        assert_eq!(redis("redis://ana@10.0.0.1:7000/2"), Ok(at("10.0.0.1", 7000, Some("ana"), 2)));
        assert_eq!(redis("redis://[::1]:7000/"), Ok(at("::1", 7000, None, 0)));
        assert_eq!(redis("redis://[::1]"), Ok(at("::1", 6379, None, 0)));
        for url in ["redis://u:p@h", "redis://:p@h", "redis://h?password=x"] {
            assert_eq!(redis(url), Err(Unusable::Password), "{url}");
        }
        for url in ["localhost", "rediss://h", "http://h"] {
            assert_eq!(redis(url), Err(Unusable::Scheme), "{url}");
        }
        for url in ["redis://", "redis://h:x", "redis://h/x", "redis://h/0/1", "redis://h:99999"] {
            assert_eq!(redis(url), Err(Unusable::Form), "{url}");
        }
    }

    #[test]
    fn an_answer_is_a_text_nothing_or_a_refusal() {
        let read = |bytes: &str| answer(&mut bytes.as_bytes());
        assert_eq!(read("$5\r\na\r\nbc\r\n").unwrap().unwrap(), b"a\r\nbc");
        assert_eq!(read("$-1\r\n").unwrap(), None);
        assert_eq!(read("+OK\r\n").unwrap().unwrap(), b"OK");
        assert!(matches!(read("-NOAUTH Authentication required.\r\n"), Err(Error::Refused(_))));
        assert!(matches!(read("$99999999999\r\n"), Err(Error::Refused(_))));
        for strange in ["HTTP/1.1 400 Bad Request\r\n", "", "$5\r\nab", ":1\r\n", "$x\r\n", "\r\n"] {
            assert!(matches!(read(strange), Err(Error::Unreachable(_))), "{strange}");
        }
    }
}
