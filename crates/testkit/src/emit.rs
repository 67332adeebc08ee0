//! Writes scenarios as YAML that parses to an equal scenario, in the style people write.

mod fact;
mod option;
mod summary;

use std::collections::BTreeMap;

use serde_yaml_ng::Value;

use crate::compare::{rung_name, serialized_name, verdict_name};
use crate::duration;
use crate::model::{
    Act, CardExpect, EraseTarget, Expectation, Fault, Given, HostPost, ItemExpect, ItemsExpect, MAIN,
    MessageAct, Pause, PendingExpect, PendingFit, PressAct, RequestApproval, Restart, Scenario,
    ScriptedReply, Turn, User, When,
};
use crate::yaml::{Pairs, count, flow, json, line, map, text};

/// Writes a scenario as a file. Parsing the result gives an equal scenario, apart from file name and line numbers.
///
/// ```
/// let text = "scenario: hello\nturns:\n  - ana: hello\n    expect: { intent: meta }\n";
/// let scenario = throughline_testkit::parse("hello.scenario.yaml", text).unwrap();
/// assert_eq!(throughline_testkit::write(&scenario), text);
/// ```
#[must_use]
pub fn write(scenario: &Scenario) -> String {
    let mut out = String::new();
    line(&mut out, 0, "scenario", &text(&scenario.name));
    match scenario.rows.as_slice() {
        [] => {}
        [row] => line(&mut out, 0, "row", &text(row)),
        rows => line(&mut out, 0, "row", &Value::Sequence(rows.iter().map(|row| text(row)).collect())),
    }
    if !scenario.about.is_empty() {
        line(&mut out, 0, "about", &text(&scenario.about));
    }
    let given = given(&scenario.given);
    if !given.is_empty() {
        out.push_str("given:\n");
        for (key, value) in &given {
            line(&mut out, 2, key, value);
        }
    }
    if !scenario.script.is_empty() {
        out.push_str("script:\n");
        for answer in &scenario.script {
            let reply = match &answer.reply {
                ScriptedReply::Answer(answer) => ("answer".to_string(), json(answer)),
                ScriptedReply::Fail(how) => ("fail".to_string(), text(how)),
            };
            let mut entry = vec![("purpose".into(), text(&answer.purpose)), reply];
            entry.extend(answer.held.then(|| ("hold".into(), Value::Bool(true))));
            let entry = map(entry);
            out.push_str(&format!("  - {}\n", flow(&entry)));
        }
    }
    out.push_str(if scenario.turns.is_empty() { "turns: []\n" } else { "turns:\n" });
    for turn in &scenario.turns {
        write_turn(&mut out, turn);
    }
    if !scenario.always.is_empty() {
        let names = scenario.always.iter().map(|checker| text(checker.as_str())).collect();
        line(&mut out, 0, "always", &Value::Sequence(names));
    }
    out
}

fn write_turn(out: &mut String, turn: &Turn) {
    let (key, value) = act(&turn.act);
    let mut body = String::new();
    line(&mut body, 4, &key, &value);
    out.push_str("  - ");
    out.push_str(body.trim_start());
    if let Some(name) = &turn.name {
        line(out, 4, "as", &text(name));
    }
    if let Some(expect) = &turn.expect {
        line(out, 4, "expect", &expectations(expect));
    }
}

/// One text alone, several as a list.
fn texts(list: &[String]) -> Value {
    match list {
        [one] => text(one),
        list => Value::Sequence(list.iter().map(|one| text(one)).collect()),
    }
}

struct Build(Pairs);

impl Build {
    fn put(&mut self, key: &str, value: Value) {
        self.0.push((key.into(), value));
    }

    fn some(&mut self, key: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.put(key, text(value));
        }
    }

    fn lane(&mut self, lane: &str) {
        if lane != MAIN {
            self.put("lane", text(lane));
        }
    }
}

// ---- given ----

fn given(given: &Given) -> Pairs {
    let (mut all, base) = (Build(Vec::new()), Given::default());
    if given.channel != base.channel {
        all.put("channel", text(&given.channel));
    }
    if given.clock != base.clock {
        all.put("clock", text(&given.clock.rfc3339().replace(".000Z", "Z")));
    }
    if !given.users.is_empty() {
        all.put("users", map(given.users.iter().map(|(name, one)| (name.clone(), user(one))).collect()));
    }
    if !given.lanes.is_empty() {
        all.put("lanes", lanes(given));
    }
    let pendings: Vec<Value> = given.pending.iter().map(pending).collect();
    let tasks: Vec<Value> = given.tasks.iter().map(task).collect();
    for (key, workers) in [("tools", &given.tools), ("agents", &given.agents)] {
        if !workers.is_empty() {
            all.put(key, map(workers.iter().map(|(name, one)| (name.clone(), worker(one))).collect()));
        }
    }
    for (key, list) in [("pending", pendings), ("tasks", tasks)] {
        if !list.is_empty() {
            all.put(key, Value::Sequence(list));
        }
    }
    if !given.sets.is_empty() {
        all.put("sets", Value::Sequence(given.sets.iter().map(option::given_set).collect()));
    }
    if !given.host.is_empty() {
        all.put("host", option::host(&given.host));
    }
    if !given.policy.is_empty() {
        all.put(
            "policy",
            map(given.policy.iter().map(|(name, value)| (name.clone(), json(value))).collect()),
        );
    }
    if given.tracker != base.tracker {
        all.put("tracker", tracker(given));
    }
    if !given.posts.is_empty() {
        all.put("posts", Value::Sequence(given.posts.iter().map(|how| text(how)).collect()));
    }
    if given.model {
        all.put("model", text("script"));
    }
    if let Some(switch) = &given.paused {
        all.put("paused", pause(switch));
    }
    if !given.facts.is_empty() {
        all.put("facts", Value::Sequence(given.facts.iter().map(fact::given).collect()));
    }
    all.0
}

fn user(user: &User) -> Value {
    let mut all = Build(Vec::new());
    if user.approves {
        all.put("may", Value::Sequence(vec![text("approve")]));
    }
    if !user.roles.is_empty() {
        all.put("roles", Value::Sequence(user.roles.iter().map(|role| text(role)).collect()));
    }
    all.some("barred", user.barred.as_ref());
    all.some("zone", user.zone.as_ref());
    all.some("language", user.language.as_ref());
    if user.bot {
        all.put("bot", Value::Bool(true));
    }
    map(all.0)
}

fn lanes(given: &Given) -> Value {
    let lane = |messages: &Vec<crate::model::GivenMessage>| {
        let message = |message: &crate::model::GivenMessage| {
            let mut all = Build(Vec::new());
            all.put(message.by.as_deref().unwrap_or("assistant"), text(&message.text));
            if message.by.is_none() {
                all.put("kind", text(&serialized_name(&message.kind)));
            }
            all.some("task", message.task.as_ref());
            all.some("as", message.name.as_ref());
            map(all.0)
        };
        let list: Vec<Value> = messages.iter().map(message).collect();
        if list.is_empty() { map(Vec::new()) } else { map(vec![("messages".into(), Value::Sequence(list))]) }
    };
    map(given.lanes.iter().map(|(name, messages)| (name.clone(), lane(messages))).collect())
}

fn pending(pending: &crate::model::GivenPending) -> Value {
    let mut all = Build(Vec::new());
    all.put("kind", text(&pending.kind));
    all.some("expected", pending.expected.as_ref().map(ToString::to_string).as_ref());
    all.lane(&pending.lane);
    all.some("anchor", pending.anchor.as_ref());
    all.some("task", pending.task.as_ref());
    all.some("asked_of", pending.asked_of.as_ref());
    all.some("expires", pending.expires.map(when).as_ref());
    all.some("with", pending.with.as_ref());
    map(all.0)
}

fn when(when: When) -> String {
    match when {
        When::At(at) => at.rfc3339(),
        When::In(span) => duration::write(span),
    }
}

fn task(task: &crate::model::GivenTask) -> Value {
    let mut all = Build(Vec::new());
    all.put("id", text(&task.id));
    all.lane(&task.lane);
    all.put("intent", text(&task.intent));
    all.put("status", text(task.status.as_str()));
    all.some("by", task.by.as_ref());
    if let Some((kind, name)) = &task.work {
        all.put(kind, text(name));
    }
    map(all.0)
}

fn worker(worker: &crate::model::GivenWorker) -> Value {
    let mut all = Build(vec![("risk".into(), text(&serialized_name(&worker.risk)))]);
    if !worker.args.is_empty() {
        let args = worker.args.iter().map(|(name, expected)| (name.clone(), text(&expected.to_string())));
        all.put("args", map(args.collect()));
    }
    if !worker.answer.is_empty() {
        all.put("answer", texts(&worker.answer));
    }
    for (key, said) in [("progress", &worker.progress), ("asks", &worker.asks)] {
        if !said.is_empty() {
            all.put(key, texts(said));
        }
    }
    if !worker.fail.is_empty() {
        all.put("fail", texts(&worker.fail));
    }
    if !worker.idempotent {
        all.put("idempotent", Value::Bool(false));
    }
    map(all.0)
}

fn tracker(given: &Given) -> Value {
    let mut all = Build(Vec::new());
    all.put("project", text(&given.tracker.project));
    let list = |list: &[String]| Value::Sequence(list.iter().map(|one| text(one)).collect());
    let world = &given.tracker;
    let named = |lists: &std::collections::BTreeMap<String, Vec<String>>| {
        map(lists.iter().map(|(name, one)| (name.clone(), list(one))).collect())
    };
    for (name, one) in [("required", &world.required), ("types", &world.types)] {
        if !one.is_empty() {
            all.put(name, list(one));
        }
    }
    for (name, lists) in [("values", &world.values), ("may", &world.may)] {
        if !lists.is_empty() {
            all.put(name, named(lists));
        }
    }
    all.some("child_link", world.child_link.as_ref());
    if world.lag > 0 {
        all.put("lag", text(&duration::write(world.lag)));
    }
    if !world.fail.is_empty() {
        all.put("fail", Value::Sequence(world.fail.iter().map(fault).collect()));
    }
    if !given.tracker.idempotent {
        all.put("idempotent", Value::Bool(false));
    }
    map(all.0)
}

fn fault(fault: &Fault) -> Value {
    let plain = Fault::next("create", &fault.how);
    if *fault == plain {
        return text(&fault.how);
    }
    let mut all = Build(vec![(fault.on.clone(), text(&fault.how))]);
    all.some("item", fault.item.as_ref());
    all.some("field", fault.field.as_ref());
    all.some("after", fault.after.map(duration::write).as_ref());
    map(all.0)
}

fn pause(pause: &Pause) -> Value {
    let mut all = Build(Vec::new());
    all.put("by", text(&pause.by));
    if pause.everything {
        all.put("everything", Value::Bool(true));
    }
    map(all.0)
}

// ---- turns ----

/// Returns the key and the value of an act, as a file has them.
pub(crate) fn act(act: &Act) -> (String, Value) {
    match act {
        Act::Message(says) => (says.user.clone(), self::says(says)),
        Act::Press(press) => (press.user.clone(), self::press(press)),
        Act::Command { user, lane, text: command } => {
            let mut all = Build(vec![("command".into(), text(command))]);
            all.lane(lane);
            (user.clone(), map(all.0))
        }
        Act::Form { user, lane, fields, card, item, button } => {
            let fields = map(fields.iter().map(|(name, value)| (name.clone(), text(value))).collect());
            let mut all = Build(vec![("submits".into(), fields), ("card".into(), text(card))]);
            all.some("item", item.as_ref());
            all.some("button", button.as_ref());
            all.lane(lane);
            (user.clone(), map(all.0))
        }
        Act::HostPost(says) => ("host".into(), map(vec![("assistant.posted".into(), host(says))])),
        Act::RequestApproval(request) => {
            ("host".into(), map(vec![("approval.requested".into(), requests(request))]))
        }
        Act::TaskReport(report) => ("host".into(), map(vec![("task.reported".into(), reports(report))])),
        Act::StateFact(states) => (states.user.clone(), fact::states(states)),
        Act::ShowList(shows) => ("host".into(), map(vec![("options.shown".into(), option::shows(shows))])),
        Act::CloseList(closes) => {
            ("host".into(), map(vec![("options.closed".into(), option::closes(closes))]))
        }
        Act::ChangeFocus(focus) => {
            ("host".into(), map(vec![("focus.changed".into(), option::focuses(focus))]))
        }
        Act::PressOption(press) => (press.user.clone(), option::chooses(press)),
        Act::Notify { from, lane, text: words } => {
            let mut all = Build(vec![("from".into(), text(from)), ("text".into(), text(words))]);
            all.lane(lane);
            ("notify".into(), map(all.0))
        }
        Act::Settle { effect, lane, outcome, text: words } => {
            let mut all = Build(vec![("settle".into(), text(effect)), ("as".into(), text(outcome))]);
            all.some("text", words.as_ref());
            all.lane(lane);
            ("effect".into(), map(all.0))
        }
        Act::Effects(Some(switch)) => ("effects".into(), map(vec![("pause".into(), pause(switch))])),
        Act::Effects(None) => ("effects".into(), text("resume")),
        Act::Erase(EraseTarget::Person(user)) => ("erase".into(), text(user)),
        Act::Erase(EraseTarget::Lane(lane)) => ("erase".into(), map(vec![("lane".into(), text(lane))])),
        Act::Advance(span) => ("advance".into(), text(&duration::write(*span))),
        Act::Restart(Restart::Clean) => ("restart".into(), text("clean")),
        Act::Restart(Restart::Kill) => ("restart".into(), text("kill")),
    }
}

fn says(says: &MessageAct) -> Value {
    if let Some(deleted) = &says.deletes {
        let mut all = Build(vec![("deletes".into(), text(deleted))]);
        all.lane(&says.lane);
        return map(all.0);
    }
    let mut all = Build(vec![("says".into(), text(&says.text))]);
    all.lane(&says.lane);
    all.some("replies_to", says.replies_to.as_ref());
    all.some("quote", says.quote.as_ref());
    all.some("edits", says.edits.as_ref());
    if !says.attach.is_empty() {
        all.put("attach", texts(&says.attach));
    }
    if all.0.len() == 1 { text(&says.text) } else { map(all.0) }
}

fn press(press: &PressAct) -> Value {
    let mut all = Build(vec![("press".into(), text(&press.action)), ("card".into(), text(&press.card))]);
    all.some("item", press.item.as_ref());
    all.lane(&press.lane);
    if press.remember {
        all.put("remember", Value::Bool(true));
    }
    for (key, n) in [("times", press.times), ("deliveries", press.deliveries)] {
        if n != 1 {
            all.put(key, count(n));
        }
    }
    map(all.0)
}

fn host(says: &HostPost) -> Value {
    let mut all = Build(vec![("kind".into(), text(&serialized_name(&says.kind)))]);
    all.lane(&says.lane);
    all.some("task", says.task.as_ref());
    all.put("text", text(&says.text));
    all.some("expected", says.expected.as_ref().map(ToString::to_string).as_ref());
    all.some("asked_of", says.asked_of.as_ref());
    all.some("expires", says.expires.map(when).as_ref());
    map(all.0)
}

fn requests(request: &RequestApproval) -> Value {
    let RequestApproval { user, lane, act, expires } = request;
    let mut all = Build(vec![("request_id".into(), text(&act.request_id))]);
    all.lane(lane);
    all.put("by", text(user));
    all.put("title", text(&act.title));
    all.put("target", text(&act.target));
    all.put("payload", text(&act.payload));
    if !act.lines.is_empty() {
        all.put("lines", texts(&act.lines));
    }
    all.some("expires", expires.map(when).as_ref());
    map(all.0)
}

fn reports(report: &crate::model::TaskReportAct) -> Value {
    let mut all = Build(vec![("task_id".into(), text(&report.task))]);
    all.lane(&report.lane);
    all.put("status", text(report.status.as_str()));
    all.some("at", report.at.map(when).as_ref());
    all.some("intent", report.intent.as_ref());
    all.some("reason", report.reason.as_ref());
    all.some("result", report.result.as_ref());
    map(all.0)
}

// ---- expectations ----

pub(crate) fn expectations(list: &[Expectation]) -> Value {
    map(list.iter().map(expectation).collect())
}

/// Returns the key and the value of an expectation, as a file has them.
pub(crate) fn expectation(one: &Expectation) -> (String, Value) {
    let none = || text("none");
    let value = match one {
        Expectation::Decision(verdict) => text(&verdict_name(*verdict)),
        Expectation::Reason(code) => text(code),
        Expectation::Rung(rung) => text(&rung_name(*rung)),
        Expectation::Intent(intent) => text(intent.as_str()),
        Expectation::Applied(value) => value.as_deref().map_or_else(none, text),
        Expectation::Pending(PendingExpect::None) => none(),
        Expectation::Pending(PendingExpect::One(fit)) => pending_fit(fit),
        Expectation::Pending(PendingExpect::All(list)) => {
            Value::Sequence(list.iter().map(pending_fit).collect())
        }
        Expectation::Focus(focus) => {
            let mut all = Build(Vec::new());
            all.some("source", focus.source.as_ref());
            all.some("anchor", focus.anchor.as_ref());
            all.some("task", focus.task.as_ref());
            map(all.0)
        }
        Expectation::Reference(reference) => {
            let mut all = Build(Vec::new());
            all.some("need", reference.need.map(|need| need.as_str().to_string()).as_ref());
            if !reference.words.is_empty() {
                all.0.push(("words".into(), texts(&reference.words)));
            }
            map(all.0)
        }
        Expectation::Says(list) | Expectation::Private(list) | Expectation::Prompt(list) => texts(list),
        Expectation::Card(card) => card.as_ref().map_or_else(none, self::card),
        Expectation::Effects(effects) if effects.is_empty() => none(),
        Expectation::Effects(effects) => effects_of(effects),
        Expectation::ModelCalls(n) => count(*n),
        Expectation::Task(None) => none(),
        Expectation::Task(Some(task)) => {
            let mut all = Build(Vec::new());
            all.some("id", task.id.as_ref());
            all.some("intent", task.intent.as_ref());
            all.some("status", task.status.map(|status| status.as_str().to_string()).as_ref());
            all.some("reason", task.reason.as_ref());
            all.some("result", task.result.as_ref());
            all.some("with", task.with.as_ref());
            all.0.extend(task.attempt.map(|attempt| ("attempt".to_string(), count(attempt))));
            map(all.0)
        }
        Expectation::Selected(option) => option.as_deref().map_or_else(none, text),
        Expectation::Clarify(None) | Expectation::Provenance(None) | Expectation::Handoff(None) => none(),
        Expectation::Clarify(Some(list)) => Value::Sequence(list.iter().map(|one| text(one)).collect()),
        Expectation::Provenance(Some(provenance)) => text(provenance.as_str()),
        Expectation::Handoff(Some(wanted)) => option::handoff(wanted),
        Expectation::View(view) => option::view(view),
        Expectation::Telemetry(events) => option::telemetry(events),
        Expectation::Facts(facts) if facts.is_empty() => none(),
        Expectation::Facts(facts) => Value::Sequence(facts.iter().map(fact::expected).collect()),
        Expectation::Summary(wanted) => summary::expected(wanted),
        Expectation::Later { value, .. } => json(value),
        Expectation::Not(list) => expectations(list),
    };
    (one.key().into(), value)
}

fn effects_of(effects: &BTreeMap<String, u32>) -> Value {
    map(effects.iter().map(|(class, n)| (class.clone(), count(*n))).collect())
}

fn pending_fit(fit: &PendingFit) -> Value {
    if let PendingFit { kind: Some(kind), expected: None, value: None } = fit {
        return text(kind);
    }
    let mut all = Build(Vec::new());
    all.some("kind", fit.kind.as_ref());
    all.some("expected", fit.expected.as_ref());
    all.some("value", fit.value.as_ref());
    map(all.0)
}

fn card(card: &CardExpect) -> Value {
    let mut all = Build(Vec::new());
    all.some("step", card.step.as_ref());
    all.0.extend(card.version.map(|version| ("version".to_string(), count(version))));
    if let Some(buttons) = &card.buttons {
        let list: Vec<Value> = buttons.iter().map(|button| text(button)).collect();
        all.put("buttons", if list.is_empty() { text("none") } else { Value::Sequence(list) });
    }
    all.some("title", card.title.as_ref());
    all.some("state", card.state.as_ref());
    all.0.extend(card.items.as_ref().map(|items| ("items".to_string(), self::items(items))));
    map(all.0)
}

fn items(items: &ItemsExpect) -> Value {
    match items {
        ItemsExpect::Count(n) => count(*n),
        ItemsExpect::All(list) => Value::Sequence(list.iter().map(item).collect()),
    }
}

fn item(item: &ItemExpect) -> Value {
    let mut all = Build(Vec::new());
    all.some("label", item.label.as_ref());
    all.some("title", item.title.as_ref());
    all.some("state", item.state.as_ref());
    if let Some(buttons) = &item.buttons {
        all.put("buttons", if buttons.is_empty() { text("none") } else { texts(buttons) });
    }
    all.some("error", item.error.as_ref());
    map(all.0)
}
