//! Lists to play with, what people say about them, and a lane they are shown in.

use std::ops::{Deref, DerefMut};

use throughline_engine::effect::{Effect, EffectBody, Outcome};
use throughline_engine::event::EventKind;
use throughline_engine::given::Actor;
use throughline_engine::id::SetId;
use throughline_engine::lane::Record;
use throughline_engine::selection::{Metadata, OptionSet, Origin, Role, Scope, SetOption, Shown, View};
use throughline_engine::work::Risk;
use throughline_engine::{Given, Step};

use crate::world::World;

/// Texts; whether one may execute an option at all (a question, a denial, several or noise may not), and whether it
/// means a place in the list.
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
    SetOption {
        id: id.into(),
        label: label.into(),
        sublabel: None,
        badge: None,
        aliases: Vec::new(),
        metadata: Metadata::default(),
        role: Role::Normal,
        repeatable: true,
        exec_ref: Some(format!("open:{id}")),
        risk: Risk::Read,
    }
}

pub(crate) fn of(scope: Scope, instance: &str, options: Vec<SetOption>) -> Shown {
    Shown {
        scope,
        scope_instance: instance.into(),
        title: (scope == Scope::Widget).then(|| "Recent".into()),
        user: None,
        options,
        refreshable: true,
        message_id: None,
        displayed: None,
        focused_option: None,
    }
}

/// One of five lists: as it is, with other words, or with something else behind its options.
pub(crate) fn shown(list: usize, variant: u8) -> Shown {
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
        // One of them cannot be executed, so none of them can.
        _ => {
            let mut options = vec![option("u-0", "Budget"), option("u-1", "sample2")];
            options[1].exec_ref = None;
            of(Scope::Dashboard, "board", options)
        }
    };
    // One of them is nobody else's.
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
    OptionSet::of(&shown(list, 0), Origin::Host).unwrap().id
}

/// A list as its host would show it once more.
pub(crate) fn as_shown(set: &OptionSet) -> Shown {
    Shown {
        title: set.title.clone(),
        user: set.user.clone(),
        refreshable: set.refreshable,
        ..of(set.scope, &set.scope_instance, set.options.to_vec())
    }
}

/// What a step says in the lane.
pub(crate) fn told(step: &Step) -> String {
    let words = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Reply { text, .. } => Some(text.clone()),
        EffectBody::CardPost { card, .. } => Some(card.as_text()),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

/// A lane in which lists are shown.
#[derive(Clone)]
pub(crate) struct Lists(World);

impl Deref for Lists {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

impl DerefMut for Lists {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.0
    }
}

impl Lists {
    pub(crate) fn new(phase_c: bool) -> Self {
        let mut world = World::new();
        world.policy.selection.enabled = true;
        world.policy.selection.model.enabled = true;
        world.policy.selection.auto_execute.enabled = phase_c;
        Self(world)
    }

    pub(crate) fn given(&self, actor: &str) -> Given {
        let mut given = Given { now: self.now, model: true.into(), ..Given::default() };
        given.addressing.direct = true;
        given.actor = Some(Actor { id: actor.into(), name: actor.into(), ..Actor::default() });
        given
    }

    pub(crate) fn event(&mut self, actor: &str, kind: EventKind) -> Step {
        let given = self.given(actor);
        self.0.event(actor, kind, given)
    }

    pub(crate) fn says(&mut self, actor: &str, text: &str) -> Step {
        let posted = throughline_engine::event::Posted { text: text.into(), ..Default::default() };
        self.event(actor, EventKind::MessagePosted(posted))
    }

    pub(crate) fn settles(&mut self, effect: &Effect, outcome: Outcome) -> Step {
        self.effects.retain(|open| open.id != effect.id);
        self.event("", settled(effect, outcome))
    }

    /// What is on its way of what this is about.
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

    /// A person's view: their own, else what everybody's begins with.
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
    }
}
