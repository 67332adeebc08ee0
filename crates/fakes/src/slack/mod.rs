//! A fake of Slack's servers: the Web API, events and interactions over signed HTTP or Socket Mode, with Slack's limits
//! and error codes.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::{slack::FakeSlack, system_clock};
//! let slack = FakeSlack::start(system_clock()).await.unwrap();
//! slack.person("U0ANA0001", "Ana");
//! slack.channel("C0GENERAL", "general", &["U0ANA0001"]);
//! let ts = slack.says("C0GENERAL", "U0ANA0001", &format!("{} create a ticket", FakeSlack::MENTION));
//! // … an app whose API base is slack.api() answers …
//! assert_eq!(slack.violations(), [""; 0]);
//! # }
//! ```

mod acked;
mod api_error;
mod blocks;
mod delivery;
mod element_rules;
mod events;
mod install;
mod interactions;
mod methods;
mod observed;
mod outbox;
mod response_url;
mod rules;
mod schema;
mod shown;
mod signature;
mod socket;
mod state;
mod typed;
mod wire;
mod workspace;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::Clock;
use outbox::Outbox;
use state::{Team, World};

pub use blocks::{check_message, check_view, too_long};
pub use outbox::{Attempt, Delivery, DeliveryId, Endpoints, Progress, Sort};
pub use signature::sign;
pub use state::{Button, Kind, Message, Status, View};

/// A fault of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Refuses the call with status 429 and this many seconds to wait.
    TooMany(u32),
    /// Refuses the call with this error code.
    Refuse(String),
    /// Answers with this HTTP status and a page. The call has no effect.
    Status(u16),
    /// Answers with a proxy's HTML page. The call has no effect.
    Unreadable,
    /// Answers with a proxy's HTML page. The call has its effect.
    AppliedThenLost,
    /// Never answers. The call has its effect.
    AppliedThenSilent,
}

/// A call in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The method, or `response_url`, or `upload`.
    pub method: String,
    /// The arguments, without the token.
    pub body: Value,
    /// The HTTP status of the answer; 0 without an answer.
    pub status: u16,
    /// The error code of the answer.
    pub error: Option<String>,
    /// Things that the call did and that Slack forbids or does not know.
    pub violations: Vec<String>,
}

/// A fault that waits for a call of its method.
struct PendingFault {
    method: String,
    channel: Option<String>,
    fault: Fault,
}

struct Shared {
    clock: Clock,
    address: SocketAddr,
    /// The address of sockets, which are reset when they are dropped.
    sockets: SocketAddr,
    world: Mutex<World>,
    journal: Mutex<Vec<Call>>,
    faults: Mutex<VecDeque<PendingFault>>,
    secret: Mutex<String>,
    /// Notified when there is something to deliver.
    bell: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn now(&self) -> i64 {
        (self.clock)()
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    fn secret(&self) -> String {
        lock(&self.secret).clone()
    }

    fn journal(&self, call: Call) {
        lock(&self.journal).push(call);
    }

    fn wrong(&self, what: &str) {
        self.world().wrong.push(what.into());
    }

    fn fault(&self, method: &str, body: &Value) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let channel = body["channel"].as_str().or(body["channel_id"].as_str());
        let here = |armed: &PendingFault| armed.channel.is_none() || armed.channel.as_deref() == channel;
        let at = faults.iter().position(|armed| armed.method == method && here(armed))?;
        faults.remove(at).map(|armed| armed.fault)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeSlack {
    shared: Arc<Shared>,
}

impl FakeSlack {
    /// The bot token.
    pub const BOT_TOKEN: &str = "xoxb-the-token-of-a-fake";
    /// The token for Socket Mode.
    pub const APP_TOKEN: &str = "xapp-the-token-of-a-fake";
    /// The secret that requests are signed with.
    pub const SIGNING_SECRET: &str = "0123456789abcdef0123456789abcdef";
    /// The id of the workspace.
    pub const TEAM: &str = "T0THREADS";
    /// The id of the app.
    pub const APP: &str = "A0MARO001";
    /// The user id of the app's bot.
    pub const BOT_USER: &str = "U0MAROBOT";
    /// The bot id of the app's bot.
    pub const BOT: &str = "B0MARO001";
    /// The mention of the bot in a text.
    pub const MENTION: &str = "<@U0MAROBOT>";
    /// The client id of the app.
    pub const CLIENT: &str = "823000100.700000000";
    /// The client secret of the app.
    pub const CLIENT_SECRET: &str = "fedcba9876543210fedcba9876543210";

    /// Starts a fake on a free loopback port, with one workspace where the app is installed. The app is reached over Socket
    /// Mode, until `delivers_to` is called.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start(clock: Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let links = TcpListener::bind("127.0.0.1:0").await?;
        let shared = Arc::new(Shared {
            clock,
            address: listener.local_addr()?,
            sockets: links.local_addr()?,
            world: Mutex::new(World::default()),
            journal: Mutex::default(),
            faults: Mutex::default(),
            secret: Mutex::new(Self::SIGNING_SECRET.into()),
            bell: Notify::new(),
        });
        let router = wire::router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        tokio::spawn(socket::listen(links, shared.clone()));
        tokio::spawn(delivery::run(shared.clone()));
        let fake = Self { shared };
        fake.install(Self::TEAM, "Threads", Self::BOT_TOKEN, Self::BOT_USER, Self::BOT);
        Ok(fake)
    }

    /// Returns the address without a path.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.url()
    }

    /// Returns the base URL of the Web API, with a slash at its end, as official clients take it.
    #[must_use]
    pub fn api(&self) -> String {
        format!("{}/api/", self.url())
    }

    /// Reaches the app over HTTP from now on.
    pub fn delivers_to(&self, endpoints: Endpoints) {
        self.shared.world().outbox.endpoints = Some(endpoints);
        self.shared.bell.notify_one();
    }

    /// Reaches the app over Socket Mode from now on.
    pub fn delivers_over_sockets(&self) {
        self.shared.world().outbox.endpoints = None;
        self.shared.bell.notify_one();
    }

    /// Signs requests with another secret.
    pub fn signs_with(&self, secret: &str) {
        *lock(&self.shared.secret) = secret.into();
    }

    /// Lets the next call of a method fail, in one channel or in any. `response_url` stands for response URLs, `upload` for
    /// the bytes of files.
    pub fn fail_next(&self, method: &str, channel: Option<&str>, fault: Fault) {
        let channel = channel.map(str::to_owned);
        lock(&self.shared.faults).push_back(PendingFault { method: method.into(), channel, fault });
    }

    /// Holds deliveries back, until `releases`.
    pub fn holds(&self) {
        self.shared.world().outbox.held = true;
    }

    /// Delivers what was held back, in reverse order if `reversed`.
    pub fn releases(&self, reversed: bool) {
        self.shared.world().outbox.release(reversed);
        self.shared.bell.notify_one();
    }

    /// Delivers over HTTP without waiting for the answer to the delivery before. Slack does that; here it is off until
    /// asked for, so that a test sees one order.
    pub fn delivers_at_once(&self, at_once: bool) {
        self.shared.world().outbox.concurrent = at_once;
    }

    /// Sets the waits before an event is sent again, in milliseconds; Slack's are 0, a minute and five minutes.
    pub fn retries_after(&self, waits: [i64; 3]) {
        self.shared.world().outbox.set_retries(waits);
    }

    /// Sets the time within which the app must answer, in milliseconds; Slack's are three seconds.
    pub fn waits(&self, milliseconds: i64) {
        self.shared.world().outbox.set_patience(milliseconds);
    }

    fn in_channel<T>(&self, channel: &str, act: impl FnOnce(&mut Team, &mut Outbox, i64) -> T) -> T {
        let now = self.shared.now();
        let done = {
            let mut world = self.shared.world();
            let (team, outbox) = world.of_channel(channel);
            act(team, outbox, now)
        };
        self.shared.bell.notify_one();
        done
    }

    fn of_person<T>(&self, user: &str, act: impl FnOnce(&mut Team, &mut Outbox, i64) -> T) -> T {
        let now = self.shared.now();
        let done = {
            let mut world = self.shared.world();
            let (team, outbox) = world.of_user(user);
            act(team, outbox, now)
        };
        self.shared.bell.notify_one();
        done
    }
}
