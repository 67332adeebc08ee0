//! People's side of a scenario in Slack: who they are there, the thread of each lane, and the channel that sends to it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use throughline_channels::slack::{App, Key, NoWorkspace, Slack, Workspace, Workspaces};
use throughline_channels::{Channel, Delivered, Posting, Sending, Surface};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::retry::Guarantee;
use throughline_engine::{LaneKey, Timestamp};
use throughline_fakes::slack::FakeSlack;

/// The person who begins each thread, before the scenario does.
const HOST: &str = "U0HOST001";
/// The address of the workspace.
pub(crate) const WORKSPACE: &str = "https://threads.slack.com";

/// A workspace, and where a scenario's people and lanes are in it.
pub(crate) struct Desk {
    pub(crate) slack: FakeSlack,
    pub(crate) time: Arc<AtomicI64>,
    people: Mutex<Vec<String>>,
    channels: Mutex<Vec<String>>,
    /// The channel and the root of each lane's thread.
    threads: Mutex<BTreeMap<String, (String, String)>>,
    /// Channel and time stamp of each sent message by its lane and our id; of several parts, those of the last.
    ours: Mutex<BTreeMap<(String, String), (String, String)>>,
}

/// Returns a name's place in a list, and whether it is new there.
fn place(list: &Mutex<Vec<String>>, name: &str) -> (usize, bool) {
    let mut list = list.lock().unwrap();
    match list.iter().position(|known| known == name) {
        Some(at) => (at, false),
        None => {
            list.push(name.into());
            (list.len() - 1, true)
        }
    }
}

impl Desk {
    pub(crate) fn new(slack: FakeSlack, time: Arc<AtomicI64>) -> Self {
        slack.person(HOST, "host");
        // Nothing is sent: what is queued is read here.
        slack.holds();
        let (people, channels) = (Mutex::default(), Mutex::default());
        Self { slack, time, people, channels, threads: Mutex::default(), ours: Mutex::default() }
    }

    /// The member id of a person of the scenario.
    pub(crate) fn member(&self, name: &str) -> String {
        let (at, new) = place(&self.people, name);
        let id = format!("U0P{at:06}");
        if new {
            self.slack.person(&id, name);
        }
        id
    }

    /// The person of a member id.
    pub(crate) fn name(&self, member: &str) -> Option<String> {
        let at: usize = member.strip_prefix("U0P")?.parse().ok()?;
        self.people.lock().unwrap().get(at).cloned()
    }

    /// The channel of a conversation; everybody is in it.
    pub(crate) fn channel(&self, conversation: &str) -> String {
        let (at, new) = place(&self.channels, conversation);
        let id = format!("C0ROOM{at:03}");
        if new {
            let people = self.people.lock().unwrap().clone();
            let members: Vec<String> = people.iter().map(|name| self.member(name)).collect();
            let members: Vec<&str> = members.iter().map(String::as_str).chain([HOST]).collect();
            self.slack.channel(&id, conversation, &members);
        }
        id
    }

    /// The channel and the root of the thread that is the scenario's lane.
    pub(crate) fn thread(&self, lane: &str) -> (String, String) {
        if let Some(known) = self.threads.lock().unwrap().get(lane) {
            return known.clone();
        }
        let channel = self.channel(lane.split_once('/').map_or(lane, |(room, _)| room));
        let root = self.slack.says(&channel, HOST, lane);
        self.threads.lock().unwrap().insert(lane.into(), (channel.clone(), root.clone()));
        (channel, root)
    }

    /// The place in Slack of a message that the lane sent.
    pub(crate) fn ours(&self, lane: &str, message: &str) -> Option<(String, String)> {
        self.ours.lock().unwrap().get(&(lane.into(), message.into())).cloned()
    }

    /// The channels that there are, by conversation.
    pub(crate) fn channels(&self) -> Vec<(String, String)> {
        let known = self.channels.lock().unwrap().clone();
        known.into_iter().map(|conversation| (self.channel(&conversation), conversation)).collect()
    }

    /// The number of the app's messages at the roots of channels.
    pub(crate) fn posts(&self) -> usize {
        let messages = self.channels().into_iter().flat_map(|(channel, _)| self.slack.bot_messages(&channel));
        messages.filter(|message| message.thread.is_none()).count()
    }
}

#[async_trait]
impl Workspaces for Desk {
    fn workspace(&self, lane: &LaneKey) -> Result<Workspace, NoWorkspace> {
        let token = Key::parse(FakeSlack::BOT_TOKEN).ok_or(NoWorkspace::NotInstalled)?;
        let tenant = lane.tenant.clone();
        Ok(Workspace { tenant, app: app(), token, url: format!("{WORKSPACE}/") })
    }

    async fn user(&self, _: &LaneKey, person: &str) -> Option<String> {
        Some(self.member(person))
    }
}

/// The app, as the workspace knows it.
pub(crate) fn app() -> App {
    App {
        team: FakeSlack::TEAM.into(),
        user: FakeSlack::BOT_USER.into(),
        bot: FakeSlack::BOT.into(),
        id: FakeSlack::APP.into(),
        command: "maro".into(),
    }
}

/// The real channel, on a thread with a network: the virtual world has none. It sends to the threads of the lanes.
pub(crate) struct OnTheWire {
    pub(crate) channel: Slack,
    pub(crate) desk: Arc<Desk>,
    pub(crate) network: tokio::runtime::Handle,
}

impl OnTheWire {
    fn name_of(lane: &LaneKey) -> String {
        match lane.thread.as_str() {
            "" => lane.conversation.clone(),
            thread => format!("{}/{thread}", lane.conversation),
        }
    }

    /// The lane's key as the adapter has it.
    fn there(&self, lane: &LaneKey) -> LaneKey {
        let (channel, thread) = self.desk.thread(&Self::name_of(lane));
        LaneKey::new(&lane.tenant, FakeSlack::BOT_USER, "slack", &channel, &thread)
    }

    fn wait<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        std::thread::scope(|threads| threads.spawn(|| self.network.block_on(future)).join()).unwrap()
    }
}

#[async_trait]
impl Channel for OnTheWire {
    fn name(&self) -> &str {
        self.channel.name()
    }

    fn surface(&self) -> Surface {
        self.channel.surface()
    }

    fn guarantee(&self) -> Guarantee {
        self.channel.guarantee()
    }

    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        let lane = self.there(sending.lane);
        self.channel.not_before(&Sending { lane: &lane, ..sending.clone() })
    }

    async fn post(&self, to: &LaneKey, post: Posting<'_>) -> Attempt<Option<String>> {
        let channel = self.desk.channel(&to.conversation);
        let to = LaneKey::new(&to.tenant, FakeSlack::BOT_USER, "slack", &channel, "");
        self.wait(self.channel.post(&to, post))
    }

    fn link(&self, lane: &LaneKey) -> Option<String> {
        self.channel.link(&self.there(lane))
    }

    fn link_to(&self, lane: &LaneKey, message: &str) -> Option<String> {
        self.channel.link_to(&self.there(lane), message)
    }

    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered> {
        self.desk.time.store(sending.now.0, Ordering::SeqCst);
        let (name, lane) = (Self::name_of(sending.lane), self.there(sending.lane));
        let body = sending.body.clone();
        let outcome = self.wait(self.channel.deliver(Sending { lane: &lane, ..sending }));
        let (EffectBody::Reply { message, .. }
        | EffectBody::CardPost { message, .. }
        | EffectBody::CardUpdate { message, .. }) = body
        else {
            return outcome;
        };
        if let Attempt::Applied(Delivered { id: Some(id), .. }) = &outcome {
            let (channel, ts) = id.split_once(':').unwrap();
            self.desk.ours.lock().unwrap().insert((name, message.0), (channel.into(), ts.into()));
        }
        outcome
    }
}
