//! Sends calls to the Bot API: one request, one answer, no retry, no redirect
//! (`docs/design/0031-effects-and-retries.md`).

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use throughline_net::{Response, TransportError};
use zeroize::Zeroizing;

use super::answer::{Answer, classify};
use super::outbound::Call;

/// The time to connect, TLS included.
const CONNECT: Duration = Duration::from_secs(3);
/// The time of a call without long polling.
const CALL: Duration = Duration::from_secs(30);

/// A bot's token. Its `Debug` output does not show it.
#[derive(Clone)]
pub struct BotToken(Zeroizing<String>);

impl fmt::Debug for BotToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BotToken(…)")
    }
}

impl BotToken {
    /// Reads a token as `BotFather` gave it: a number, a colon, a secret. `None` if it has another form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let token = text.trim();
        let (id, secret) = token.split_once(':')?;
        let of = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let good = id.parse::<i64>().is_ok_and(|id| id > 0) && secret.len() >= 20 && secret.chars().all(of);
        good.then(|| Self(Zeroizing::new(token.to_owned())))
    }

    /// The bot's number, which is public.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        self.0.split_once(':').and_then(|(id, _)| id.parse().ok()).unwrap_or_default()
    }
}

/// A client of the Bot API or of an emulator.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: BotToken,
}

impl Client {
    /// Creates a client of the API at `base`: `https`, or `http` on this machine if `allow_loopback`.
    ///
    /// # Errors
    /// The address is neither; the text is for people.
    pub fn new(base: &str, allow_loopback: bool, token: BotToken) -> Result<Self, String> {
        let url = reqwest::Url::parse(base).map_err(|error| format!("“{base}” is no address: {error}"))?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        match url.scheme() {
            "https" if !here || allow_loopback => {}
            "http" if here && allow_loopback => {}
            "http" | "https" if here => {
                return Err(format!(
                    "“{base}” is on this machine; say allow_loopback = true to use an emulator"
                ));
            }
            _ => return Err(format!("“{base}” is not https")),
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            return Err(format!("“{base}” holds more than scheme, host and path"));
        }
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .user_agent(concat!("throughline/", env!("CARGO_PKG_VERSION")));
        if here {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| format!("cannot set up TLS: {error}"))?;
        Ok(Self { http, base: base.trim_end_matches('/').into(), token })
    }

    /// The bot's number.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        self.token.bot_id()
    }

    /// Makes one call and interprets its answer.
    pub async fn call(&self, call: &Call) -> Answer {
        let longer = call.body.get("timeout").and_then(serde_json::Value::as_u64).unwrap_or(0);
        classify(self.send(call, CALL + Duration::from_secs(longer)).await)
    }

    async fn send(&self, call: &Call, within: Duration) -> Result<Response, TransportError> {
        let url = format!("{}/bot{}/{}", self.base, *self.token.0, call.method);
        let request = self.http.post(url).timeout(within).header("content-type", "application/json");
        throughline_net::send(request.body(call.body.to_string()), call.method).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::outbound;
    use super::*;

    const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

    #[test]
    fn a_token_has_one_form_and_is_not_shown() {
        let token = BotToken::read(&format!("{TOKEN}\n")).unwrap();
        assert_eq!(token.bot_id(), 110_201_543);
        assert_eq!(format!("{token:?}"), "BotToken(…)");
        for wrong in [
            "",
            "110201543",
            "110201543:",
            "x:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
            "1:short",
            "1:AAHd qTcvCH1vGWJxfSeofSAs0K5",
        ] {
            assert!(BotToken::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn only_https_or_an_allowed_emulator() {
        let client =
            |base: &str, here: bool| Client::new(base, here, BotToken::read(TOKEN).unwrap()).map(|_| ());
        assert!(client("https://api.telegram.org", false).is_ok());
        assert!(client("http://127.0.0.1:81", true).is_ok());
        assert!(client("http://[::1]:81", true).is_ok());
        for base in [
            "http://127.0.0.1:81",
            "http://api.telegram.org",
            "ftp://x",
            "x",
            "https://a:b@x.org",
            "https://127.0.0.1",
        ] {
            assert!(client(base, false).is_err(), "{base}");
        }
        assert!(client("http://10.0.0.1", true).is_err());
    }

    #[tokio::test]
    async fn a_refused_connection_sent_nothing_and_tells_no_token() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let client = Client::new(&base, true, BotToken::read(TOKEN).unwrap()).unwrap();
        let Answer::NotSent(why) = client.call(&outbound::get_me()).await else { panic!() };
        assert!(why.starts_with("getMe:") && !why.contains("AAHd"), "{why}");
    }

    #[tokio::test]
    async fn a_connection_that_breaks_proves_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let once = tokio::spawn(async move { drop(listener.accept().await) });
        let client = Client::new(&base, true, BotToken::read(TOKEN).unwrap()).unwrap();
        let answer = client.call(&outbound::get_me()).await;
        once.await.unwrap();
        assert!(matches!(&answer, Answer::Unknown(why) if !why.contains("AAHd")), "{answer:?}");
    }
}
