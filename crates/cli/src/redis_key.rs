//! Reads the text that a Redis server holds under a key.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use redis::{Client, Connection, ConnectionInfo, FromRedisValue, RedisConnectionInfo, RedisError};
use throughline_engine::context::import::MAX_BYTES;

/// The longest time that connecting, and each read or write after it, may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The address of a Redis server and of a database in it, without a password.
#[derive(Debug)]
pub(crate) struct RedisServer(ConnectionInfo);

/// An address that cannot be used. Its text is never repeated: it may hold a secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AddressError {
    /// The scheme is not `redis`.
    Scheme,
    /// It has a password, or a query that may hold one.
    Password,
    /// It is malformed.
    Form,
}

impl fmt::Display for AddressError {
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

impl std::error::Error for AddressError {}

/// A text that could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The server cannot be reached, or does not answer as Redis does.
    Unreachable(RedisError),
    /// The server refused a command, in these words.
    Refused(String),
    /// The text has this many bytes, which is more than is read.
    TooLong(usize),
    /// The key does not exist.
    Missing,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) => error.fmt(f),
            Self::Refused(text) => write!(f, "Redis said: {text}"),
            Self::TooLong(bytes) => write!(f, "the text has {bytes} bytes; at most {MAX_BYTES} are read"),
            Self::Missing => f.write_str("there is no such key"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<RedisError> for ReadError {
    fn from(error: RedisError) -> Self {
        match error.code() {
            Some(code) => Self::Refused(format!("{code} {}", error.detail().unwrap_or_default())),
            None => Self::Unreachable(error),
        }
    }
}

impl FromStr for RedisServer {
    type Err = AddressError;

    fn from_str(url: &str) -> Result<Self, AddressError> {
        if !url.starts_with("redis://") {
            return Err(AddressError::Scheme);
        }
        let info: ConnectionInfo = url.parse().map_err(|_| AddressError::Form)?;
        let redis = info.redis_settings();
        if redis.password().is_some() || url.contains('?') {
            return Err(AddressError::Password);
        }
        if redis.db() < 0 {
            return Err(AddressError::Form);
        }
        Ok(Self(info))
    }
}

impl RedisServer {
    /// Returns `HOST:PORT`.
    pub(crate) fn address(&self) -> String {
        self.0.addr().to_string()
    }

    /// Reads the text under a key.
    pub(crate) fn get(&self, key: &str, password: Option<&str>) -> Result<Vec<u8>, ReadError> {
        let mut connection = self.connect()?;
        // The client can log in by itself, but then drops the server's reason for a refusal.
        if let Some(password) = password {
            let user = self.0.redis_settings().username();
            let words: Vec<&str> = ["AUTH"].into_iter().chain(user).chain([password]).collect();
            send::<()>(&mut connection, &words)?;
        }
        match self.0.redis_settings().db() {
            0 => {}
            database => send::<()>(&mut connection, &["SELECT", &database.to_string()])?,
        }
        // The client reads an answer of any length, so the length is looked at first.
        let bytes: usize = send(&mut connection, &["STRLEN", key])?;
        if bytes > MAX_BYTES {
            return Err(ReadError::TooLong(bytes));
        }
        send::<Option<Vec<u8>>>(&mut connection, &["GET", key])?.ok_or(ReadError::Missing)
    }

    fn connect(&self) -> Result<Connection, RedisError> {
        let silent = RedisConnectionInfo::default().set_skip_set_lib_name();
        let client = Client::open(self.0.clone().set_redis_settings(silent))?;
        let connection = client.get_connection_with_timeout(TIMEOUT)?;
        connection.set_read_timeout(Some(TIMEOUT))?;
        connection.set_write_timeout(Some(TIMEOUT))?;
        Ok(connection)
    }
}

fn send<T: FromRedisValue>(connection: &mut Connection, words: &[&str]) -> Result<T, ReadError> {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    Ok(command.query(connection)?)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_address_is_a_host_a_port_and_a_database() {
        let parts = |url: &str| {
            url.parse::<RedisServer>().map(|server| {
                let settings = server.0.redis_settings();
                (server.address(), settings.username().map(str::to_owned), settings.db())
            })
        };
        let at = |address: &str, user: Option<&str>, database| {
            Ok((address.to_owned(), user.map(str::to_owned), database))
        };
        assert_eq!(parts("redis://localhost"), at("localhost:6379", None, 0));
        assert_eq!(parts("redis://ana@10.0.0.1:7000/2"), at("10.0.0.1:7000", Some("ana"), 2));
        assert_eq!(parts("redis://[::1]:7000/"), at("::1:7000", None, 0));
        assert_eq!(parts("redis://[::1]"), at("::1:6379", None, 0));
        for url in ["redis://u:p@h", "redis://:p@h", "redis://h?password=x"] {
            assert_eq!(parts(url), Err(AddressError::Password), "{url}");
        }
        for url in ["localhost", "rediss://h", "http://h"] {
            assert_eq!(parts(url), Err(AddressError::Scheme), "{url}");
        }
        for url in
            ["redis://", "redis://h:x", "redis://h/x", "redis://h/0/1", "redis://h/-1", "redis://h:99999"]
        {
            assert_eq!(parts(url), Err(AddressError::Form), "{url}");
        }
    }

    /// Reads a key from a server that gives these answers and closes the connection.
    fn read(answers: &[&'static str]) -> Result<Vec<u8>, ReadError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server: RedisServer = format!("redis://{}", listener.local_addr().unwrap()).parse().unwrap();
        let answers = answers.to_vec();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            for answer in answers {
                // A client that is refused asks no more.
                if stream.read(&mut request).unwrap_or(0) == 0 {
                    return;
                }
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let text = server.get("key", None);
        served.join().unwrap();
        text
    }

    #[test]
    fn an_answer_is_a_text_nothing_or_a_refusal() {
        assert_eq!(read(&[":5\r\n", "$5\r\na\r\nbc\r\n"]).unwrap(), b"a\r\nbc");
        assert!(matches!(read(&[":0\r\n", "$-1\r\n"]), Err(ReadError::Missing)));
        let refused = read(&["-NOAUTH Authentication required.\r\n"]).unwrap_err();
        assert_eq!(refused.to_string(), "Redis said: NOAUTH Authentication required.");
        assert!(matches!(read(&[":99999999999\r\n"]), Err(ReadError::TooLong(99_999_999_999))));
        for strange in [
            &["HTTP/1.1 400 Bad Request\r\n"][..],
            &[""],
            &["$5\r\nab"],
            &[":1\r\n", ":1\r\n"],
            &["$x\r\n"],
            &["\r\n"],
        ] {
            assert!(matches!(read(strange), Err(ReadError::Unreachable(_))), "{strange:?}");
        }
    }
}
