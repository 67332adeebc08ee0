//! A proxy on loopback that cuts connections at chosen requests, in front of a server that is not ours.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::cutter::{Cutter, Fate};
//! let cutter = Cutter::start("http://127.0.0.1:3000").await.unwrap();
//! cutter.fate("POST", "/issues.json", Fate::Lost);
//! // … a client with the address cutter.url() creates an issue, and gets no answer …
//! assert_eq!(cutter.count("POST", "/issues.json"), 1);
//! # }
//! ```

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio::net::TcpListener;

use crate::line::{Cut, Lines};

/// The page of a proxy whose server does not answer.
const PAGE: &str = "<html><body><h1>502 Bad Gateway</h1></body></html>";

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is not forwarded, and the connection closes.
    Never,
    /// It is not forwarded, and a page of a proxy comes.
    NeverPage,
    /// It is forwarded, and the connection closes without a byte of the answer.
    Lost,
    /// It is forwarded, and a page of a proxy comes.
    Page,
    /// It is forwarded, and the connection closes in the middle of the answer's body.
    Torn,
    /// The connection closes, and it is forwarded with [`Cutter::land`].
    Late,
}

/// A request as it came.
#[derive(Clone)]
struct Request {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    /// True if it is one of this method whose path ends so.
    fn is(&self, method: &str, path: &str) -> bool {
        self.method.as_str() == method && self.uri.path().ends_with(path)
    }
}

/// A fate that waits for its request.
struct Waiting {
    method: String,
    path: String,
    fate: Fate,
}

struct Shared {
    to: String,
    http: reqwest::Client,
    journal: Mutex<Vec<Request>>,
    waiting: Mutex<VecDeque<Waiting>>,
    held: Mutex<Vec<Request>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running proxy. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct Cutter {
    url: String,
    shared: Arc<Shared>,
}

impl Cutter {
    /// Starts a proxy on a free loopback port before the server at `to`.
    ///
    /// # Errors
    /// There is no port to listen on, or no client can be made.
    pub async fn start(to: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
        let shared = Arc::new(Shared {
            to: to.trim_end_matches('/').to_owned(),
            http: client.build().map_err(io::Error::other)?,
            journal: Mutex::default(),
            waiting: Mutex::default(),
            held: Mutex::default(),
        });
        let router = Router::new().fallback(handle).with_state(shared.clone());
        let service = router.into_make_service_with_connect_info::<Cut>();
        tokio::spawn(async move { axum::serve(Lines(listener), service).await });
        Ok(Self { url, shared })
    }

    /// The address for clients.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Sets the fate of the next request of this method whose path ends so, after the fates that were set before.
    pub fn fate(&self, method: &str, path: &str, fate: Fate) {
        let waiting = Waiting { method: method.into(), path: path.into(), fate };
        lock(&self.shared.waiting).push_back(waiting);
    }

    /// The number of requests of this method that came and whose path ends so, forwarded or not.
    #[must_use]
    pub fn count(&self, method: &str, path: &str) -> usize {
        lock(&self.shared.journal).iter().filter(|request| request.is(method, path)).count()
    }

    /// Forwards the requests that are late, and waits for their answers, which nobody gets. Returns their statuses.
    ///
    /// # Errors
    /// The server does not answer.
    pub async fn land(&self) -> io::Result<Vec<u16>> {
        let held = std::mem::take(&mut *lock(&self.shared.held));
        let mut statuses = Vec::new();
        for request in held {
            statuses.push(self.shared.forward(request).await?.0.as_u16());
        }
        Ok(statuses)
    }
}

impl Shared {
    fn take_fate(&self, request: &Request) -> Option<Fate> {
        let mut waiting = lock(&self.waiting);
        let at = waiting.iter().position(|one| request.is(&one.method, &one.path))?;
        waiting.remove(at).map(|one| one.fate)
    }

    async fn forward(&self, request: Request) -> io::Result<(StatusCode, HeaderMap, Bytes)> {
        let path = request.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers = request.headers;
        for own in [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(own);
        }
        let sent = self.http.request(request.method, format!("{}{path}", self.to));
        let answer = sent.headers(headers).body(request.body).send().await.map_err(io::Error::other)?;
        let (status, mut headers) = (answer.status(), answer.headers().clone());
        for own in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            headers.remove(own);
        }
        Ok((status, headers, answer.bytes().await.map_err(io::Error::other)?))
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(line): ConnectInfo<Cut>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Infallible> {
    let request = Request { method, uri, headers, body };
    lock(&shared.journal).push(request.clone());
    let fate = shared.take_fate(&request);
    let page = || (StatusCode::BAD_GATEWAY, [("content-type", "text/html")], PAGE).into_response();
    let forwarded = match fate {
        Some(Fate::Never | Fate::Late) => {
            if fate == Some(Fate::Late) {
                lock(&shared.held).push(request);
            }
            line.cut();
            return Ok(page());
        }
        Some(Fate::NeverPage) => return Ok(page()),
        Some(Fate::Lost | Fate::Page | Fate::Torn) | None => shared.forward(request).await,
    };
    let Ok((status, headers, body)) = forwarded else { return Ok(page()) };
    Ok(match fate {
        Some(Fate::Lost) => {
            line.cut();
            page()
        }
        Some(Fate::Page) => page(),
        Some(Fate::Torn) => (status, headers, torn(&body)).into_response(),
        _ => (status, headers, body).into_response(),
    })
}

/// A body that ends with a broken connection after its first half.
fn torn(body: &Bytes) -> Body {
    let half = body.slice(..body.len() / 2);
    let cut = stream::once(async {
        // The half is written first.
        tokio::task::yield_now().await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    });
    Body::from_stream(stream::iter([Ok(half)]).chain(cut))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A server that counts what it gets and tells the number, after the path and the body.
    async fn server() -> (String, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let told = count.clone();
        let answer = move |uri: Uri, body: String| {
            let number = told.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                (StatusCode::CREATED, [("x-number", number.to_string())], format!("{uri} {body} {number}"))
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
        (url, count)
    }

    /// Asks as a client does. Returns the status and the body, if each came.
    async fn ask(cutter: &Cutter, path: &str) -> (Option<u16>, Option<String>) {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let Ok(answer) = client.post(format!("{}{path}", cutter.url())).body("hello").send().await else {
            return (None, None);
        };
        (Some(answer.status().as_u16()), answer.text().await.ok())
    }

    #[tokio::test]
    async fn what_has_no_fate_passes() {
        let (url, count) = server().await;
        let cutter = Cutter::start(&format!("{url}/")).await.unwrap();
        cutter.fate("GET", "/issues", Fate::Never);
        let told = ask(&cutter, "/a/issues?x=%20y").await;
        assert_eq!(told, (Some(201), Some("/a/issues?x=%20y hello 1".to_owned())));
        assert_eq!((cutter.count("POST", "/issues"), cutter.count("GET", "/issues")), (1, 0));
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn each_fate_is_played_once() {
        for (fate, status, forwarded) in [
            (Fate::Never, None, 0),
            (Fate::NeverPage, Some(502), 0),
            (Fate::Lost, None, 1),
            (Fate::Page, Some(502), 1),
            (Fate::Torn, Some(201), 1),
            (Fate::Late, None, 0),
        ] {
            let (url, count) = server().await;
            let cutter = Cutter::start(&url).await.unwrap();
            cutter.fate("POST", "/issues", fate);
            let (told, body) = ask(&cutter, "/issues").await;
            assert_eq!(told, status, "{fate:?}");
            let expected = (status == Some(502)).then(|| PAGE.to_owned());
            assert_eq!(body, expected, "{fate:?}: no whole answer of the server");
            assert_eq!(count.load(Ordering::SeqCst), forwarded, "{fate:?}");
            let late = cutter.land().await.unwrap();
            assert_eq!(late, if fate == Fate::Late { vec![201] } else { vec![] }, "{fate:?}");
            assert_eq!(cutter.land().await.unwrap(), [0; 0], "{fate:?}: once");
            let before = count.load(Ordering::SeqCst);
            assert_eq!(ask(&cutter, "/issues").await.0, Some(201), "{fate:?}: the next one passes");
            assert_eq!((count.load(Ordering::SeqCst), cutter.count("POST", "/issues")), (before + 1, 2));
        }
    }
}
