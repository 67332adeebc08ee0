//! A poll from its command to its end, and the recipe that makes one.

use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::card::{Card, CardStatus};
use crate::data::card_model::CardModel;
use crate::data::decision::Reason;
use crate::data::effect::EffectBody;
use crate::data::erasure::ErasureScope;
use crate::data::event::{Event, EventKind, MessagePosted, Press};
use crate::data::lane::Lane;
use crate::data::lane_key::LaneKey;
use crate::data::policy::Policy;
use crate::data::step_input::StepInput;
use crate::data::time::Timestamp;
use crate::routing::step::step;

struct World {
    lane: Lane,
    given: StepInput,
    /// The card as it was shown last.
    shown: Option<CardModel>,
}

impl World {
    fn new() -> Self {
        let mut given = StepInput::default();
        given.addressing.direct = true;
        Self { lane: Lane::new(LaneKey::new("acme", "app", "web", "main", "")), given, shown: None }
    }

    fn take(&mut self, actor: &str, kind: EventKind) -> Reason {
        self.given.now = self.given.now.plus(1_000);
        let id = alloc::format!("event-{}", self.given.now.0);
        let event = Event { id, received_at: self.given.now, actor: actor.into(), kind };
        let step = step(&self.lane, &event, &self.given, &Policy::default());
        for effect in &step.effects {
            if let EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } = &effect.body {
                self.shown = Some(card.clone());
            }
        }
        let reason = step.decision.reason;
        self.lane.apply(step.next, &step.changes);
        reason
    }

    fn say(&mut self, actor: &str, text: &str) -> Reason {
        self.take(
            actor,
            EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
        )
    }

    fn press(&mut self, actor: &str, action: Action, item: &str) -> Reason {
        let shown = self.shown.as_ref().unwrap();
        let (card, version) = (shown.id.clone(), shown.version);
        let press = Press::Decision { card, version, action, item: item.into() };
        self.take(actor, EventKind::CardPressed { press, remember: false })
    }

    fn votes(&self) -> Vec<(&str, &str)> {
        let items = &self.shown.as_ref().unwrap().items;
        items.iter().map(|item| (item.title.as_str(), item.label.as_str())).collect()
    }
}

#[test]
fn a_poll_counts_one_vote_a_person_until_it_is_finished() {
    let mut world = World::new();
    world.take("ana", EventKind::Command { text: "poll Lunch: pizza, soup".into() });
    world.press("ana", Action::Option, "pizza");
    world.press("bob", Action::Option, "soup");
    world.press("ana", Action::Option, "soup");
    assert_eq!(world.votes(), [("pizza", "0"), ("soup", "2")]);
    assert_eq!(world.press("ana", Action::Option, "cake"), Reason::StaleStep);

    world.press("ana", Action::Finish, "");
    assert_eq!(world.press("bob", Action::Option, "pizza"), Reason::PressConsumed);
    let card = world.lane.records.all::<Card>().next().unwrap();
    assert!(matches!(card.status, CardStatus::Decided { action: Action::Finish, .. }));
}

#[test]
fn a_poll_asks_for_its_question_and_only_its_author_answers() {
    let mut world = World::new();
    world.take("ana", EventKind::Command { text: "poll".into() });
    assert!(world.shown.as_ref().unwrap().items.is_empty());
    assert_ne!(world.say("bob", "Tea: green, black"), Reason::PendingApplied);
    assert_eq!(world.say("ana", "Lunch: pizza, soup"), Reason::PendingApplied);
    assert_eq!(world.votes(), [("pizza", "0"), ("soup", "0")]);
}

#[test]
fn a_lane_that_is_erased_keeps_nothing_of_a_poll() {
    let mut world = World::new();
    world.take("ana", EventKind::Command { text: "poll Lunch: pizza, soup".into() });
    world.take("", EventKind::Erasure(ErasureScope::Lane));
    assert_eq!(world.lane.records.iter().count(), 0);
    assert!(world.votes().is_empty());
}

#[test]
fn a_voter_who_is_erased_leaves_a_vote_without_a_name() {
    let mut world = World::new();
    world.take("ana", EventKind::Command { text: "poll Lunch: pizza, soup".into() });
    world.press("roberta", Action::Option, "soup");
    world.take("", EventKind::Erasure(ErasureScope::Person { id: "roberta".into() }));
    assert_eq!(world.votes(), [("pizza", "0"), ("soup", "1")]);
    let card = world.lane.records.all::<Card>().next().unwrap();
    assert!(!serde_json::to_string(card).unwrap().contains("roberta"));
}

#[test]
fn a_card_of_a_capability_that_is_gone_says_so() {
    let mut world = World::new();
    world.take("ana", EventKind::Command { text: "poll Lunch: pizza, soup".into() });
    let mut card = world.lane.records.all::<Card>().next().unwrap().clone();
    if let crate::data::card::CardSubject::Custom { capability, .. } = &mut card.about {
        *capability = "surveys".into();
    }
    world.lane.records.insert(card.into());
    assert_eq!(world.press("ana", Action::Option, "pizza"), Reason::StaleStep);
    let model = crate::project_card(
        world.lane.records.all::<Card>().next().unwrap(),
        &world.lane.records,
        Timestamp(0),
        &Policy::default(),
    );
    assert_eq!(model.title, "This is no longer available");
}

#[test]
fn the_recipe_quotes_this_folder() {
    let recipe = include_str!("../../../../docs/recipes/workflow.md");
    let source = [include_str!("mod.rs"), include_str!("../routing/capabilities.rs")].concat();
    let blocks: Vec<&str> =
        recipe.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4, "{} blocks", blocks.len());
    for line in blocks.iter().flat_map(|block| block.lines()).filter(|line| !line.trim().is_empty()) {
        assert!(source.lines().any(|own| own == line), "not in crates/engine/src/poll/mod.rs: {line}");
    }
}
