//! Writes a conversation as a scenario, so that a case that was found can be kept and run over the production runtime.
//!
//! A scenario cannot delete a message, and its host reports an option as run at once.

use std::collections::BTreeMap;

use serde_json::json;
use throughline_engine::EventKind;
use throughline_engine::data::event::AssistantPosted;
use throughline_testkit::Scenario;
use throughline_testkit::model::{
    Act as Does, CloseList, Expectation, Given, GivenWorker, HostPost, MAIN, MessageAct, PressOption,
    ScriptedAnswer, ScriptedReply, ShowList, Turn, User,
};

use super::events;
use super::generate::{Act, Conversation, Expects, Say, Slot, Who};
use super::play::{play_traced, policy};
use super::report::Family;

/// Returns the conversation as a scenario that fails while the family of what was found is there.
#[must_use]
pub fn scenario(conversation: &Conversation, family: &Family) -> Scenario {
    let (outcomes, trail) = play_traced(conversation, &policy());
    let mut turns: Vec<Turn> = Vec::new();
    let mut picks = trail.picks.iter().peekable();
    for (n, act) in conversation.acts.iter().enumerate() {
        turns.extend(acts(conversation, n, act, &trail));
        while let Some((after, _)) = picks.peek() {
            if after.is_some_and(|after| after > n) || (after.is_none() && n + 1 < conversation.acts.len()) {
                break;
            }
            picks.next();
            turns.push(turn(None, settles()));
        }
    }
    let found = outcomes.findings.iter().find(|finding| finding.family == *family);
    let deed = found.map(|finding| finding.deed.clone()).unwrap_or_default();
    if let Some(last) = turns.last_mut() {
        last.expect = expected(&deed);
    }
    Scenario {
        name: format!("conversation {}", conversation.seed),
        rows: Vec::new(),
        about: format!("{family}. Not allowed: {deed}."),
        file: String::new(),
        given: given(),
        script: trail.picks.iter().map(|(_, place)| answer(*place)).collect(),
        turns,
        always: Vec::new(),
    }
}

/// Everything that happened while a conversation was played, for its scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    /// The model's answers: the act after which one came, or none at the end, and the place of the option it picked.
    pub(super) picks: Vec<(Option<usize>, usize)>,
    /// Messages that show lists, by act.
    pub(super) posted: BTreeMap<usize, String>,
    /// Messages that texts reply to, by act.
    pub(super) replies: BTreeMap<usize, String>,
    /// Acts in whose turns messages came.
    pub(super) said: BTreeMap<String, usize>,
}

fn given() -> Given {
    let on = |name: &str| (format!("selection.{name}"), json!(true));
    Given {
        users: [Who::Ana, Who::Bob].map(|who| (who.name().to_owned(), User::default())).into(),
        policy: ["enabled", "model.enabled", "auto_execute.enabled"].map(on).into(),
        agents: [("writer".to_owned(), GivenWorker::default())].into(),
        model: true,
        ..Given::default()
    }
}

fn answer(place: usize) -> ScriptedAnswer {
    let choice = format!("c{}", place + 1);
    ScriptedAnswer {
        purpose: "select".into(),
        reply: ScriptedReply::Answer(json!({"decision": "select", "choice": choice, "confidence": 0.99})),
        held: true,
    }
}

fn expected(deed: &str) -> Option<Vec<Expectation>> {
    if deed.starts_with("Run") {
        Some(vec![Expectation::Selected(None)])
    } else if deed.starts_with("Answer") {
        Some(vec![Expectation::Applied(None)])
    } else if deed.starts_with("Gate") {
        Some(vec![Expectation::Card(None)])
    } else {
        None
    }
}

fn settles() -> Does {
    Does::Settle { effect: "model.ask".into(), lane: MAIN.into(), outcome: "done".into(), text: None }
}

fn turn(name: Option<String>, act: Does) -> Turn {
    Turn { line: 0, act, name, expect: None }
}

fn acts(conversation: &Conversation, n: usize, act: &Act, trail: &Trail) -> Vec<Turn> {
    let named = Some(format!("t{}", n + 1));
    match act {
        Act::Show(show) => {
            let message = trail.posted.get(&n).cloned();
            let post =
                message.as_ref().map(|_| turn(named, host(events::posted(events::shows(show), None, None))));
            let list = Does::ShowList(ShowList { lane: MAIN.into(), shown: events::shown(show, message) });
            post.into_iter().chain([turn(Some(list_name(n)), list)]).collect()
        }
        Act::Close(slot) => newest(conversation, n, *slot)
            .map(|set| {
                turn(None, Does::CloseList(CloseList { lane: MAIN.into(), set: Some(set), instance: None }))
            })
            .into_iter()
            .collect(),
        Act::Ask(expects, of) => vec![turn(named, asks(expects, *of))],
        Act::Post => vec![turn(named, host(events::posted("The meeting is over.".into(), None, None)))],
        Act::Say(say) => vec![turn(named, says(say, n, trail))],
        Act::Edit(who, _, text) => {
            let says = MessageAct { edits: Some("latest".into()), ..message(*who, text) };
            vec![turn(named, Does::Message(says))]
        }
        Act::Delete(_) => Vec::new(),
        Act::Press(who, slot, option) => newest(conversation, n, *slot)
            .map(|set| {
                let prefix = if *slot == Slot::Other { "x" } else { "o" };
                turn(
                    named,
                    Does::PressOption(PressOption {
                        user: who.name().into(),
                        lane: MAIN.into(),
                        set,
                        option: format!("{prefix}{option}"),
                        version: None,
                    }),
                )
            })
            .into_iter()
            .collect(),
    }
}

fn list_name(n: usize) -> String {
    format!("l{}", n + 1)
}

/// Returns the name of the newest list of a place that was shown before act `n`.
fn newest(conversation: &Conversation, n: usize, slot: Slot) -> Option<String> {
    let shows = |act: &Act| matches!(act, Act::Show(show) if show.slot == slot);
    conversation.acts[..n].iter().rposition(shows).map(list_name)
}

fn asks(expects: &Expects, of: Option<Who>) -> Does {
    host(events::posted(events::question(expects), Some(expects), of))
}

fn host(kind: EventKind) -> Does {
    let EventKind::AssistantPosted(AssistantPosted { kind, text, expected, asked_of, .. }) = kind else {
        return settles();
    };
    Does::HostPost(HostPost { lane: MAIN.into(), kind, task: None, text, expected, asked_of, expires: None })
}

fn says(say: &Say, n: usize, trail: &Trail) -> Does {
    let mut says = message(say.who, &say.text);
    if let Some(id) = trail.replies.get(&n) {
        match trail.said.get(id) {
            Some(act) => says.replies_to = Some(format!("t{}", act + 1)),
            None => says.quote = Some("What was that?".into()),
        }
    }
    Does::Message(says)
}

fn message(who: Who, text: &str) -> MessageAct {
    MessageAct { user: who.name().into(), lane: MAIN.into(), text: text.into(), ..MessageAct::default() }
}
