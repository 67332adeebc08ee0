//! A push service of somebody else, and the browsers it knows: it checks who sends and how as RFC 8030 and 8292 say, and a
//! browser reads what is encrypted for it as RFC 8291 says.

use std::sync::{Arc, Mutex};

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey as Peer, agree};
use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use axum::Router;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::support::eventually;

/// Message that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Pushed {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

/// Decides the status of an answer, and its `Retry-After`. The status 0 keeps the sender waiting.
type Answer = Box<dyn Fn(&Pushed) -> (u16, &'static str) + Send>;

/// Push service of somebody else.
pub(crate) struct PushService {
    port: u16,
    seen: Arc<Mutex<Vec<Pushed>>>,
    answer: Arc<Mutex<Answer>>,
    task: Option<JoinHandle<()>>,
}

pub(crate) fn takes(_: &Pushed) -> (u16, &'static str) {
    (201, "")
}

impl PushService {
    pub(crate) async fn start() -> Self {
        let mut service = Self::down().await;
        service.comes_up().await;
        service
    }

    pub(crate) async fn down() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let answer: Answer = Box::new(takes);
        Self { port, seen: Arc::default(), answer: Arc::new(Mutex::new(answer)), task: None }
    }

    pub(crate) async fn comes_up(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        let (seen, answer) = (self.seen.clone(), self.answer.clone());
        let take = async move |request: Request| {
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, 10_000).await.unwrap().to_vec();
            let pushed = Pushed { path: parts.uri.to_string(), headers: parts.headers, body };
            let (status, after) = answer.lock().unwrap()(&pushed);
            seen.lock().unwrap().push(pushed);
            if status == 0 {
                std::future::pending::<()>().await;
            }
            let mut response = StatusCode::from_u16(status).unwrap().into_response();
            if !after.is_empty() {
                response.headers_mut().insert("retry-after", after.parse().unwrap());
            }
            response
        };
        let router = Router::new().fallback(move |request: Request| {
            let take = take.clone();
            async move { take(request).await }
        });
        self.task = Some(tokio::spawn(async move { axum::serve(listener, router).await.unwrap() }));
    }

    pub(crate) fn answers(&self, answer: impl Fn(&Pushed) -> (u16, &'static str) + Send + 'static) {
        *self.answer.lock().unwrap() = Box::new(answer);
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn all(&self) -> Vec<Pushed> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until that many messages arrived, and no more.
    pub(crate) async fn has(&self, many: usize) -> Vec<Pushed> {
        eventually(&format!("{many} messages arrive"), || async { self.all().len() >= many }).await;
        let all = self.all();
        assert_eq!(all.len(), many, "{all:#?}");
        all
    }
}

impl Drop for PushService {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Pushed {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}: {self:?}")).to_str().unwrap()
    }

    /// Checks the signature, and returns what was signed and the public key.
    pub(crate) fn signed(&self) -> (Value, String) {
        let said = self.header("authorization").strip_prefix("vapid t=").unwrap();
        let (token, key) = said.split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let [key_bytes, signature] = [key, signature].map(|text| URL_SAFE_NO_PAD.decode(text).unwrap());
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key_bytes);
        public.verify(signed.as_bytes(), &signature).expect("the signature is of this key");
        let (head, claims) = signed.split_once('.').unwrap();
        let [head, claims]: [Value; 2] = [head, claims]
            .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap());
        assert_eq!(head["alg"], "ES256");
        (claims, key.to_owned())
    }
}

/// Browser that subscribed.
pub(crate) struct Subscribed {
    pub(crate) endpoint: String,
    private: PrivateKey,
    secret: [u8; 16],
}

impl Subscribed {
    pub(crate) fn at(service: &PushService, path: &str) -> Self {
        let private = PrivateKey::generate(&ECDH_P256).unwrap();
        let secret = path.repeat(16).as_bytes()[..16].try_into().unwrap();
        Self { endpoint: format!("{}{path}", service.origin()), private, secret }
    }

    fn public(&self) -> Vec<u8> {
        self.private.compute_public_key().unwrap().as_ref().to_vec()
    }

    /// Returns the subscription as the browser tells it.
    pub(crate) fn told(&self) -> String {
        let [p256dh, auth] = [self.public(), self.secret.to_vec()].map(|bytes| URL_SAFE_NO_PAD.encode(bytes));
        json!({"endpoint": self.endpoint, "expirationTime": null, "keys": {"p256dh": p256dh, "auth": auth}})
            .to_string()
    }

    /// Decrypts a message.
    pub(crate) fn reads(&self, pushed: &Pushed) -> Value {
        let (head, sealed) = pushed.body.split_at(16 + 4 + 1 + 65);
        let (salt, theirs) = (&head[..16], &head[21..]);
        assert_eq!((&head[16..20], head[20]), (4_096_u32.to_be_bytes().as_slice(), 65));
        let shared = agree(&self.private, Peer::new(&ECDH_P256, theirs), (), |shared| Ok(shared.to_vec()));
        let hmac = |key: &[u8], parts: &[&[u8]]| {
            sign(&Key::new(HMAC_SHA256, key), &parts.concat()).as_ref().to_vec()
        };
        let root = hmac(&self.secret, &[&shared.unwrap()]);
        let input = hmac(&root, &[b"WebPush: info\0", &self.public(), theirs, &[1]]);
        let root = hmac(salt, &[&input]);
        let key = &hmac(&root, &[b"Content-Encoding: aes128gcm\0", &[1]])[..16];
        let nonce = &hmac(&root, &[b"Content-Encoding: nonce\0", &[1]])[..12];
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, key).unwrap());
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::try_assume_unique_for_key(nonce).unwrap();
        let text = key.open_in_place(nonce, Aad::empty(), &mut sealed).expect("it is for this browser");
        serde_json::from_slice(text.strip_suffix(&[2]).expect("the last record")).unwrap()
    }
}
