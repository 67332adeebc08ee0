//! Lists, texts about them, and a lane they are shown in.

use std::ops::{Deref, DerefMut};

use throughline_engine::data::actor::Actor;
use throughline_engine::data::effect::{Effect, EffectBody, Outcome};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::id::SetId;
use throughline_engine::data::option_set::{OptionSet, OptionSetOrigin, OptionsShown};
use throughline_engine::data::record::Record;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::data::view::View;
use throughline_engine::{Step, StepInput};

use crate::harness::TestLane;

/// Texts, with two flags: the text may execute an option (no question, denial, noise or plural), and it contains a
/// position.
pub(crate) const SPOKEN: [(&str, bool, bool); 41] = [
    ("open the sample2 pls", true, false),
    ("sample2", true, false),
    ("links panel d", true, false),
    ("Links Panels", true, false),
    ("open links", false, false),
    ("ope panel d", false, false),
    ("open links panel", false, false),
    ("open sampl", false, false),
    ("the links thing", false, false),
    ("budget", true, false),
    ("open roadmap", true, false),
    ("alpha", true, false),
    ("2", true, true),
    ("the first one", true, true),
    ("last", true, true),
    ("d", true, false),
    ("open that", true, false),
    ("open it again", true, false),
    ("this one", true, false),
    ("the other one", true, false),
    ("both", false, false),
    ("first and third", false, true),
    ("what is sample2", false, false),
    ("did i open sample2?", false, false),
    ("is the first one right?", false, true),
    ("not the first", false, true),
    ("not that", false, false),
    ("none of these", false, false),
    ("no, sample2", true, false),
    ("yes", true, false),
    ("no", false, false),
    ("hmm", false, false),
    ("asdf", false, false),
    ("stop", false, false),
    ("back to the list", true, false),
    ("open sample2 from chat", true, false),
    ("budget from recent", true, false),
    ("open sample2 from chta", false, false),
    ("delete sample2", false, false),
    ("create a ticket for login bug", false, false),
    ("open sample2 and delete it", false, false),
];

pub(crate) fn option(id: &str, label: &str) -> SetOption {
    SetOption::named(id, label).running(format!("open:{id}"))
}

pub(crate) fn of(scope: Scope, instance: &str, options: Vec<SetOption>) -> OptionsShown {
    OptionsShown {
        scope,
        scope_instance: instance.into(),
        title: (scope == Scope::Widget).then(|| "Recent".into()),
        user: None,
        options,
        refreshable: true,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    }
}

/// Returns one of five lists; variant 1 has an alias more, variant 2 another action behind the first option.
pub(crate) fn shown(list: usize, variant: u8) -> OptionsShown {
    let mut shown = match list {
        0 => of(
            Scope::Chat,
            "main",
            vec![
                option("opt-0", "Links Panel D"),
                option("opt-1", "Links Panel E"),
                option("opt-2", "sample2"),
            ],
        ),
        1 => of(
            Scope::Chat,
            "main",
            vec![
                option("p-0", "Links Panels"),
                option("p-1", "Links Panel D"),
                option("p-2", "Links Panel E"),
            ],
        ),
        2 => of(
            Scope::Widget,
            "recent",
            vec![option("w-0", "Budget"), option("w-1", "sample2"), option("w-2", "Roadmap")],
        ),
        3 => of(Scope::Chat, "main", vec![option("a", "Alpha"), option("b", "Beta")]),
        // An option that cannot be executed makes the whole list one to look at only.
        _ => {
            let mut options = vec![option("u-0", "Budget"), option("u-1", "sample2")];
            options[1].exec_ref = None;
            of(Scope::Dashboard, "board", options)
        }
    };
    // One of the lists belongs to one person.
    shown.user = (list == 3).then(|| "ana".into());
    if list == 0 {
        shown.options[0].badge = Some("D".into());
    }
    match variant {
        1 => shown.options[1].aliases.push("samp".into()),
        2 => shown.options[0].exec_ref = Some("something:else".into()),
        _ => {}
    }
    shown
}

pub(crate) fn id(list: usize) -> SetId {
    OptionSet::from_shown(&shown(list, 0), OptionSetOrigin::Host).unwrap().id
}

/// Returns a list as its host would show it again.
pub(crate) fn as_shown(set: &OptionSet) -> OptionsShown {
    OptionsShown {
        title: set.title.clone(),
        user: set.user.clone(),
        refreshable: set.refreshable,
        ..of(set.scope, &set.scope_instance, set.options.to_vec())
    }
}

/// Returns the text a step posts in the lane.
pub(crate) fn posted_text(step: &Step) -> String {
    let words = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Reply { text, .. } => Some(text.clone()),
        EffectBody::CardPost { card, .. } => Some(card.as_text()),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

/// A lane in which lists are shown.
#[derive(Clone)]
pub(crate) struct Lists(TestLane);

impl Deref for Lists {
    type Target = TestLane;

    fn deref(&self) -> &TestLane {
        &self.0
    }
}

impl DerefMut for Lists {
    fn deref_mut(&mut self) -> &mut TestLane {
        &mut self.0
    }
}

impl Lists {
    pub(crate) fn new(auto_execute: bool) -> Self {
        let mut harness = TestLane::new();
        harness.policy.selection.enabled = true;
        harness.policy.selection.model.enabled = true;
        harness.policy.selection.auto_execute.enabled = auto_execute;
        Self(harness)
    }

    pub(crate) fn given(&self, actor: &str) -> StepInput {
        let mut given = StepInput { now: self.now, model: true.into(), ..StepInput::default() };
        given.addressing.direct = true;
        given.actor = Some(Actor { id: actor.into(), name: actor.into(), ..Actor::default() });
        given
    }

    pub(crate) fn event(&mut self, actor: &str, kind: EventKind) -> Step {
        let given = self.given(actor);
        self.0.event(actor, kind, given)
    }

    pub(crate) fn says(&mut self, actor: &str, text: &str) -> Step {
        let posted =
            throughline_engine::data::event::MessagePosted { text: text.into(), ..Default::default() };
        self.event(actor, EventKind::MessagePosted(posted))
    }

    pub(crate) fn settles(&mut self, effect: &Effect, outcome: Outcome) -> Step {
        self.effects.retain(|open| open.id != effect.id);
        self.event("", settled(effect, outcome))
    }

    /// Returns the open model calls, requests for evidence and executions.
    pub(crate) fn open(&self) -> Vec<Effect> {
        let about = |effect: &&Effect| {
            matches!(
                effect.body,
                EffectBody::ModelAsk(_) | EffectBody::EvidenceFetch { .. } | EffectBody::OptionExecute(_)
            )
        };
        self.effects.iter().filter(about).cloned().collect()
    }

    pub(crate) fn set(&self, id: &SetId) -> Option<&OptionSet> {
        self.lane.records.iter().find_map(|record| match record {
            Record::OptionSet(set) if set.id == *id => Some(set),
            _ => None,
        })
    }

    /// Returns a person's view: their own, or the shared default.
    pub(crate) fn view(&self, user: &str) -> View {
        let of = |wanted: &str| {
            self.lane.records.iter().find_map(|record| match record {
                Record::View(view) if view.user == wanted => Some(view.as_ref().clone()),
                _ => None,
            })
        };
        of(user).or_else(|| of("")).unwrap_or_default()
    }
}

pub(crate) fn settled(effect: &Effect, outcome: Outcome) -> EventKind {
    EventKind::EffectSettled {
        effect: effect.id.clone(),
        outcome,
        card: effect.body.card().cloned(),
        task: effect.body.task().cloned(),
        unshown: None,
    }
}
