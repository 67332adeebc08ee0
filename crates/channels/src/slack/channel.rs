//! The sending side of the channel: delivers a message, a card or a notice, each part on record before the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::data::fault::SendingFault;
use throughline_engine::data::policy::limits;
use throughline_engine::retry::Guarantee;
use throughline_engine::{LaneKey, Timestamp};
use throughline_messages::Language;

use super::answer::Answer;
use super::client::Client;
use super::names::{CHANNEL, GROUP, channel_and_ts, channel_id, is_direct, thread_of};
use super::outbound::{self, Call, Target};
use super::rate_limit::{Bucket, RateLimiter};
use super::read_back::PostedFor;
use super::render::{self, Look, Message, People};
use super::streams::{StreamRecord, StreamRecords, Streams};
use super::workspaces::{NoWorkspace, Workspace, Workspaces};
use crate::{Channel, Delivered, Posting, Sending, Surface, Working};

/// Slack, as a channel.
pub struct Slack {
    pub(super) client: Client,
    pub(super) workspaces: Arc<dyn Workspaces>,
    limiter: Mutex<RateLimiter>,
    /// The address of the installation's own pages, if people can reach them.
    pages: Option<String>,
    /// The language of what the channel says itself.
    pub(super) language: Language,
    /// The messages that show progress, where progress is shown in messages.
    pub(super) streams: Option<Arc<Streams>>,
}

/// The destination of one delivery.
pub(super) struct Route<'a> {
    pub(super) sending: &'a Sending<'a>,
    pub(super) workspace: Workspace,
}

impl Route<'_> {
    /// The lane's thread; in a channel's root lane the thread of the message that is answered.
    fn target(&self) -> Target<'_> {
        let lane = Target::of(self.sending.lane);
        let thread =
            if lane.thread.is_empty() { self.sending.answers.map_or("", thread_of) } else { lane.thread };
        Target { thread, ..lane }
    }
}

impl Slack {
    /// Creates the channel over a client.
    #[must_use]
    pub fn new(
        client: Client,
        workspaces: Arc<dyn Workspaces>,
        language: Language,
        pages: Option<&str>,
    ) -> Self {
        let pages = pages.map(|address| address.trim_end_matches('/').to_owned());
        Self { client, workspaces, limiter: Mutex::default(), pages, language, streams: None }
    }

    /// Shows progress in messages, which are on record there. One that no answer follows in `grace` is removed.
    #[must_use]
    pub fn streaming(mut self, records: Arc<dyn StreamRecords>, grace: Duration) -> Self {
        self.streams = Some(Streams::new(self.client.clone(), self.workspaces.clone(), records, grace));
        self
    }

    /// Goes on with the messages that the last process showed progress in. Has no effect where progress is not shown in
    /// messages.
    pub fn resume_streams(&self, records: Vec<StreamRecord>) {
        if let Some(streams) = &self.streams {
            streams.resume(records);
        }
    }

    /// The client, for calls that are not deliveries.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The language of what the channel says itself.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    fn limiter(&self) -> MutexGuard<'_, RateLimiter> {
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn workspace<T>(&self, lane: &LaneKey) -> Result<Workspace, Attempt<T>> {
        self.workspaces.workspace(lane).map_err(|none| match none {
            NoWorkspace::NotKnownYet => {
                let why = SendingFault::PlaceUnknown { channel: "Slack".into() }.into();
                Attempt::NotApplied { why, hint: None }
            }
            NoWorkspace::NotInstalled => {
                let text = SendingFault::NotInstalled.into();
                Attempt::Rejected { text, errors: Vec::new() }
            }
        })
    }

    /// Returns a card with the names of user groups, and what it is rendered with for a lane: the people whom it names.
    pub async fn look(&self, lane: &LaneKey, card: &CardModel) -> (CardModel, Look) {
        let mut people = People::new();
        for person in render::named_people(card) {
            if let Some(user) = self.workspaces.user(lane, &person).await {
                people.insert(person, user);
            }
        }
        let mut card = card.clone();
        for fact in &mut card.facts {
            *fact = self.with_groups(lane, fact).await;
        }
        (card, Look { people, language: self.language, pages: self.pages.clone() })
    }

    /// Returns a sentence with the names of the user groups in it, which approver rules name by their ids.
    async fn with_groups(&self, lane: &LaneKey, sentence: &str) -> String {
        let mut parts = sentence.split(GROUP);
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
            let (id, rest) = part.split_at(end);
            match self.workspaces.group(lane, id).await {
                Some(name) => named.push_str(&name),
                None => named.extend([GROUP, id]),
            }
            named.push_str(rest);
        }
        named
    }

    /// Makes one call for a lane, and records what its answer says about the limits.
    pub(super) async fn call(
        &self,
        workspace: &Workspace,
        call: &Call,
        bucket: Bucket,
        now: Timestamp,
    ) -> Answer {
        let answer = self.client.call(&workspace.token, call).await;
        match &answer {
            Answer::TooMany { hint } => {
                metrics::counter!("throughline_vendor_429_total", "vendor" => CHANNEL).increment(1);
                let until = now.plus(hint.unwrap_or(limits::RETRY_FIRST));
                self.limiter().refused(bucket, until, now);
            }
            Answer::Unauthorized(why) => {
                tracing::error!(
                    code = "TL-3301",
                    team = workspace.app.team,
                    why,
                    "Slack refuses the app's token"
                );
            }
            // Without a history scope messages are not looked for, which whoever left it out has chosen.
            Answer::MissingScope { .. } if call.method.starts_with("conversations.") => {}
            Answer::MissingScope { needed } => {
                tracing::error!(code = "TL-3302", team = workspace.app.team, needed, "the app lacks a scope");
            }
            _ => {}
        }
        answer
    }

    /// Sends the next part of a reply that is not out yet.
    async fn reply(&self, route: &Route<'_>, text: &str) -> Attempt<Delivered> {
        let parts = render::reply(&self.with_groups(route.sending.lane, text).await);
        let out = route.sending.sent.len();
        let Some(part) = parts.get(out) else { return Attempt::Applied(Delivered::default()) };
        let more = out + 1 < parts.len();
        match self.private(route) {
            Some(by) => self.whisper(route, by, part, out, more).await,
            None => self.post_message(route, part, out, more).await,
        }
    }

    /// The person whose command is answered, where the answer is nobody else's: a command at a channel's root.
    fn private<'a>(&self, route: &Route<'a>) -> Option<&'a str> {
        let to = route.target();
        route.sending.by.filter(|_| to.thread.is_empty() && !is_direct(to.channel))
    }

    /// Shows a text to one person. In a conversation with one person it is a message.
    async fn whisper(
        &self,
        route: &Route<'_>,
        to: &str,
        part: &Message,
        number: usize,
        more: bool,
    ) -> Attempt<Delivered> {
        let lane = route.sending.lane;
        let user = self.workspaces.user(lane, to).await;
        let Some(user) = user.filter(|_| !is_direct(&lane.conversation)) else {
            return self.post_message(route, part, number, more).await;
        };
        if route.sending.unsure.is_some_and(|unsure| !unsure.resend) {
            return Attempt::Unknown { why: SendingFault::Unfindable.into() };
        }
        let call = outbound::post_ephemeral(route.target(), &user, part);
        let answer = self.call(&route.workspace, &call, Bucket::Method(call.method), route.sending.now).await;
        let ts = |answer: &Value| answer["message_ts"].as_str().map(|ts| channel_id(&lane.conversation, ts));
        match answer.attempt() {
            Attempt::Applied(answer) => Attempt::Applied(Delivered { id: ts(&answer), more }),
            other => other.map(|_| Delivered::default()),
        }
    }

    /// Shows all parts of a notice, which has no record of those that are out: after a failure it begins again.
    async fn notice(&self, route: &Route<'_>, to: &str, text: &str) -> Attempt<Delivered> {
        let mut told = Attempt::Applied(Delivered::default());
        let text = self.with_groups(route.sending.lane, text).await;
        for (number, part) in render::reply(&text).iter().enumerate() {
            told = self.whisper(route, to, part, number, false).await;
            if !matches!(told, Attempt::Applied(_)) {
                break;
            }
        }
        told
    }

    async fn post_message(
        &self,
        route: &Route<'_>,
        message: &Message,
        part: usize,
        more: bool,
    ) -> Attempt<Delivered> {
        let of = PostedFor { effect: route.sending.effect, part };
        let answer = match self.posted_before(route, of).await {
            Some(answer) => answer,
            None => self.try_post(route, message, of).await,
        };
        delivered(answer, more)
    }

    async fn try_post(&self, route: &Route<'_>, message: &Message, of: PostedFor<'_>) -> Answer {
        if let Some(answer) = self.fill_stream(route, message, of).await {
            return answer;
        }
        let call = outbound::post(route.target(), message, of);
        let bucket = Bucket::Post(route.sending.lane.conversation.clone());
        self.call(&route.workspace, &call, bucket, route.sending.now).await
    }

    async fn posted_before(&self, route: &Route<'_>, of: PostedFor<'_>) -> Option<Answer> {
        let Sending { unsure, now, lane, .. } = route.sending;
        let answer = self.look_for(&route.workspace, route.target(), of, (*unsure)?, *now).await;
        if let (Some(Answer::Applied(_)), Some(streams)) = (&answer, &self.streams) {
            streams.settled(lane, of.effect).await;
        }
        answer
    }

    /// Posts a card. Where Slack does not take its blocks, it is rendered once more with less detail: that answer says
    /// that nothing was sent.
    async fn post_card(&self, route: &Route<'_>, card: &CardModel) -> Attempt<Delivered> {
        if !route.sending.sent.is_empty() {
            return Attempt::Applied(Delivered::default());
        }
        let of = PostedFor::whole(route.sending.effect);
        let answer = match self.posted_before(route, of).await {
            Some(answer) => answer,
            None => self.try_post_card(route, card, of).await,
        };
        if matches!(answer, Answer::Applied(_)) {
            self.name_thread(route, card);
        }
        delivered(answer, false)
    }

    async fn try_post_card(&self, route: &Route<'_>, card: &CardModel, of: PostedFor<'_>) -> Answer {
        let (card, look) = self.look(route.sending.lane, card).await;
        match self.try_post(route, &render::card(&card, &look, false), of).await {
            Answer::Blocks(why) => {
                tracing::warn!(code = "TL-3303", why, "Slack takes no card of this size");
                self.try_post(route, &render::card(&card, &look, true), of).await
            }
            answer => answer,
        }
    }

    /// Names a thread of the agent's view by its card. It is a signal: nothing waits for it.
    fn name_thread(&self, route: &Route<'_>, card: &CardModel) {
        let lane = route.sending.lane;
        if is_direct(&lane.conversation) && !lane.thread.is_empty() {
            let (client, token) = (self.client.clone(), route.workspace.token.clone());
            let call = outbound::title(route.target(), &render::thread_title(card));
            tokio::spawn(async move { client.call(&token, &call).await });
        }
    }

    /// Shows a card's new state in its message; in a new one, if somebody deleted that.
    async fn update_card(&self, route: &Route<'_>, card: &CardModel) -> Attempt<Delivered> {
        let Some((channel, ts)) = route.sending.sent.last().and_then(|id| channel_and_ts(id)) else {
            return self.post_card(route, card).await;
        };
        let (card, look) = self.look(route.sending.lane, card).await;
        let now = route.sending.now;
        let mut answer = Answer::Gone;
        for smaller in [false, true] {
            let call = outbound::update(channel, ts, &render::card(&card, &look, smaller));
            answer = self.call(&route.workspace, &call, Bucket::Method(call.method), now).await;
            if !matches!(answer, Answer::Blocks(_)) {
                break;
            }
        }
        match answer {
            Answer::Gone => self.post_message(route, &render::card(&card, &look, false), 0, false).await,
            answer => answer.attempt().map(|_| Delivered::default()),
        }
    }

    /// The buckets that limit a delivery.
    fn buckets(&self, sending: &Sending<'_>) -> Vec<Bucket> {
        match (sending.body, sending.sent.last()) {
            (EffectBody::CardUpdate { .. }, Some(id)) => {
                vec![Bucket::Edit(id.clone()), Bucket::Method("chat.update")]
            }
            (EffectBody::Notice { .. }, _) if !is_direct(&sending.lane.conversation) => {
                vec![Bucket::Method("chat.postEphemeral")]
            }
            _ => vec![Bucket::Post(sending.lane.conversation.clone())],
        }
    }
}

/// The outcome of a post.
fn delivered(answer: Answer, more: bool) -> Attempt<Delivered> {
    match answer.attempt() {
        Attempt::Applied(answer) => match (answer["channel"].as_str(), answer["ts"].as_str()) {
            (Some(channel), Some(ts)) => {
                Attempt::Applied(Delivered { id: Some(channel_id(channel, ts)), more })
            }
            _ => Attempt::Unknown { why: SendingFault::Unnamed { channel: "Slack".into() }.into() },
        },
        other => other.map(|_| Delivered::default()),
    }
}

/// The address of a message: in a thread it leads to the thread, too.
fn permalink(url: &str, channel: &str, ts: &str, thread: &str) -> Option<String> {
    if url.is_empty() || ts.is_empty() {
        return None;
    }
    let link = format!("{}/archives/{channel}/p{}", url.trim_end_matches('/'), ts.replace('.', ""));
    let within = !thread.is_empty() && thread != ts;
    Some(if within { format!("{link}?thread_ts={thread}&cid={channel}") } else { link })
}

#[async_trait]
impl Channel for Slack {
    fn name(&self) -> &str {
        CHANNEL
    }

    fn surface(&self) -> Surface {
        Surface::Sends
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Findable
    }

    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        let buckets = self.buckets(sending);
        self.limiter().admit(&buckets, sending.now).err()
    }

    async fn working(&self, work: Working<'_>) {
        self.show_work(work).await;
    }

    fn seen(self: Arc<Self>, lane: &LaneKey, message: &str) {
        let Some((channel, ts)) = channel_and_ts(message) else { return };
        let Ok(workspace) = self.workspaces.workspace(lane) else { return };
        let call = outbound::react(channel, ts, "thumbsup");
        tokio::spawn(async move {
            let answer = self.client.call(&workspace.token, &call).await;
            let outcome =
                if matches!(answer, Answer::Applied(_) | Answer::Already) { "done" } else { "dropped" };
            metrics::counter!("throughline_effects_total", "class" => "signal", "outcome" => outcome)
                .increment(1);
        });
    }

    async fn post(&self, to: &LaneKey, post: Posting<'_>) -> Attempt<Option<String>> {
        let Posting { effect, text, unsure, now } = post;
        let workspace = match self.workspace(to) {
            Ok(workspace) => workspace,
            Err(stop) => return stop,
        };
        let parts = render::reply(text);
        let [part] = parts.as_slice() else {
            let text = SendingFault::TooLong { channel: "Slack".into() }.into();
            return Attempt::Rejected { text, errors: Vec::new() };
        };
        let (root, of) = (Target { channel: &to.conversation, thread: "" }, PostedFor::whole(effect));
        let before = match unsure {
            Some(unsure) => self.look_for(&workspace, root, of, unsure, now).await,
            None => None,
        };
        let answer = match before {
            Some(answer) => answer,
            None => {
                let bucket = Bucket::Post(to.conversation.clone());
                if let Err(until) = self.limiter().admit(std::slice::from_ref(&bucket), now) {
                    let why = SendingFault::Rationed { channel: "Slack".into() }.into();
                    return Attempt::NotApplied { why, hint: Some(until.since(now)) };
                }
                self.call(&workspace, &outbound::post(root, part, of), bucket, now).await
            }
        };
        match answer.attempt() {
            Attempt::Applied(answer) => match answer["ts"].as_str() {
                Some(ts) => Attempt::Applied(permalink(&workspace.url, &to.conversation, ts, "")),
                None => Attempt::Unknown { why: SendingFault::Unnamed { channel: "Slack".into() }.into() },
            },
            other => other.map(|_| None),
        }
    }

    fn link(&self, lane: &LaneKey) -> Option<String> {
        let workspace = self.workspaces.workspace(lane).ok()?;
        let of_thread = permalink(&workspace.url, &lane.conversation, &lane.thread, "");
        let of_channel = || {
            let url = workspace.url.trim_end_matches('/');
            (!url.is_empty()).then(|| format!("{url}/archives/{}", lane.conversation))
        };
        of_thread.or_else(of_channel)
    }

    fn link_to(&self, lane: &LaneKey, message: &str) -> Option<String> {
        let (channel, ts) = channel_and_ts(message)?;
        let thread = if lane.thread.is_empty() { thread_of(message) } else { &lane.thread };
        permalink(&self.workspaces.workspace(lane).ok()?.url, channel, ts, thread)
    }

    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered> {
        let workspace = match self.workspace(sending.lane) {
            Ok(workspace) => workspace,
            Err(stop) => return stop,
        };
        let route = Route { sending: &sending, workspace };
        match sending.body {
            EffectBody::Reply { text, .. } => self.reply(&route, text).await,
            EffectBody::CardPost { card, .. } => self.post_card(&route, card).await,
            EffectBody::CardUpdate { card, .. } => self.update_card(&route, card).await,
            EffectBody::Notice { to, text } => self.notice(&route, to, text).await,
            _ => Attempt::Rejected { text: SendingFault::NotDelivered.into(), errors: Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_messages() {
        let url = "https://team.slack.com/";
        let link = |ts, thread| permalink(url, "C1", ts, thread);
        assert_eq!(link("17.004", "").as_deref(), Some("https://team.slack.com/archives/C1/p17004"));
        assert_eq!(link("17.004", "17.004").as_deref(), Some("https://team.slack.com/archives/C1/p17004"));
        let within = "https://team.slack.com/archives/C1/p18005?thread_ts=17.004&cid=C1";
        assert_eq!(link("18.005", "17.004").as_deref(), Some(within));
        assert_eq!(link("", ""), None);
        assert_eq!(permalink("", "C1", "17.004", ""), None);
    }
}
