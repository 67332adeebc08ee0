//! Every kind of mistake the dry run has to find, as far as a project of this tracker can have it: by its code, its
//! field and its item; and no create is sent.
//!
//! Four kinds cannot occur here: types are a closed list of four, so none is a sub-task or shares its name with
//! another; a part that does not exist cannot be written; and no field is cascading
//! (`docs/design/0020-ticket-drafts-and-batches.md`).

use std::collections::BTreeMap;

use throughline_engine::Language;
use throughline_engine::data::ticket::{ItemType, Part};

use super::tests::Local;
use super::*;
use crate::conformance::{TENANT, applied};

/// The parts of a valid item of `AUTH`.
const SOUND: [(Part, &str); 8] = [
    (Part::Title, "Log in"),
    (Part::Problem, "Nobody can"),
    (Part::Constraints, "3"),
    (Part::Solution, "2026-02-01"),
    (Part::Questions, "high"),
    (Part::Risks, "@mia"),
    (Part::Labels, "web"),
    (Part::Dependencies, "blocks: AUTH-1"),
];

fn projects() -> LocalConfig {
    let closed =
        |kind, values: [&str; 3]| FieldRule { closed: vec![values[2].into()], ..FieldRule::of(kind, values) };
    let all_but = |one: &str| {
        let mut all = vec!["ana".to_owned(), "ben".into(), "cal".into(), "dan".into(), "eve".into()];
        all.retain(|who| who != one);
        all
    };
    let auth = ProjectConfig {
        types: vec![ItemType::Story, ItemType::Epic, ItemType::Task],
        disabled: vec![ItemType::Task],
        required: SOUND.iter().map(|(part, _)| *part).filter(|part| *part != Part::Dependencies).collect(),
        required_for: BTreeMap::from([(ItemType::Epic, vec![Part::Acceptance])]),
        fields: vec![Part::Dependencies],
        schema: BTreeMap::from([
            (Part::Constraints, FieldRule { kind: FieldKind::Number, ..FieldRule::default() }),
            (Part::Solution, FieldRule { kind: FieldKind::Date, ..FieldRule::default() }),
            (Part::Questions, closed(FieldKind::Option, ["low", "high", "urgent"])),
            (Part::Risks, closed(FieldKind::User, ["mia", "noa", "old-otto"])),
        ]),
        links: vec!["blocks".into(), "relates to".into()],
        browse: all_but("ben"),
        create: all_but("cal"),
        edit: all_but("dan"),
        link: all_but("eve"),
        ..ProjectConfig::default()
    };
    let with = |change: fn(&mut ProjectConfig)| {
        let mut project = auth.clone();
        change(&mut project);
        project
    };
    let projects = [
        ("OLD", with(|p| p.archived = true)),
        ("HID", with(|p| p.hidden = true)),
        ("FLD", with(|p| p.hierarchy = vec![ChildLink::EpicLink])),
        (
            "SUB",
            with(|p| {
                p.child_link = ChildLink::Subtask;
                p.hierarchy = vec![ChildLink::Parent];
            }),
        ),
        ("OPEN", ProjectConfig::default()),
        ("AUTH", auth),
    ];
    LocalConfig { projects: projects.map(|(key, project)| (key.to_owned(), project)).into() }
}

/// A valid epic, and its story `bad` after a change.
fn batch(change: &dyn Fn(&mut Item)) -> Vec<Item> {
    let fields: BTreeMap<Part, String> = SOUND.map(|(part, text)| (part, text.to_owned())).into();
    let mut story =
        Item { id: "bad".into(), parent: Some("e".into()), ..Item::alone(ItemType::Story, fields.clone()) };
    let mut epic = Item { id: "e".into(), ..Item::alone(ItemType::Epic, fields) };
    epic.fields.insert(Part::Acceptance, "All stories are done".into());
    change(&mut story);
    vec![epic, story]
}

/// A mistake: its name, the project, the person, the change of the story, and the item, code and field it is found
/// by.
type Kind = (&'static str, &'static str, &'static str, Box<dyn Fn(&mut Item)>, [&'static str; 3]);

fn kinds() -> Vec<Kind> {
    let says = |part: Part, text: &'static str| -> Box<dyn Fn(&mut Item)> {
        Box::new(move |item| drop(item.fields.insert(part, text.into())))
    };
    let long = |part: Part, n: usize| -> Box<dyn Fn(&mut Item)> {
        Box::new(move |item| drop(item.fields.insert(part, "x".repeat(n))))
    };
    let without =
        |part: Part| -> Box<dyn Fn(&mut Item)> { Box::new(move |item| drop(item.fields.remove(&part))) };
    let under = |parent: &'static str| -> Box<dyn Fn(&mut Item)> {
        Box::new(move |item| item.parent = Some(parent.into()))
    };
    let of = |kind: ItemType| -> Box<dyn Fn(&mut Item)> { Box::new(move |item| item.item_type = kind) };
    let same = || -> Box<dyn Fn(&mut Item)> { Box::new(|_| {}) };
    let whole = |code: &'static str, field: &'static str| ["", code, field];
    let bad = |code: &'static str, field: &'static str| ["bad", code, field];
    #[rustfmt::skip]
    let kinds = vec![
        ("project missing", "NOPE", "ana", same(), whole("check.project", "project")),
        ("project archived", "OLD", "ana", same(), whole("check.project", "project")),
        ("project hidden", "HID", "ana", same(), whole("check.project", "project")),
        ("type missing", "AUTH", "ana", of(ItemType::Bug), bad("check.type", "type")),
        ("type disabled", "AUTH", "ana", of(ItemType::Task), bad("check.type", "type")),
        ("required text", "AUTH", "ana", without(Part::Problem), bad("check.required", "problem")),
        ("required number", "AUTH", "ana", without(Part::Constraints), bad("check.required", "constraints")),
        ("required date", "AUTH", "ana", without(Part::Solution), bad("check.required", "solution")),
        ("required option", "AUTH", "ana", without(Part::Questions), bad("check.required", "questions")),
        ("required user", "AUTH", "ana", without(Part::Risks), bad("check.required", "risks")),
        ("required components", "AUTH", "ana", says(Part::Labels, " "), bad("check.required", "labels")),
        ("required of its type", "AUTH", "ana", Box::new(|item: &mut Item| {
            (item.item_type, item.parent) = (ItemType::Epic, None);
        }), bad("check.required", "acceptance")),
        ("field not on screen", "AUTH", "ana", says(Part::Steps, "open"), bad("check.field", "steps")),
        ("bad option", "AUTH", "ana", says(Part::Questions, "mid"), bad("check.value", "questions")),
        ("disabled option", "AUTH", "ana", says(Part::Questions, "urgent"), bad("check.value", "questions")),
        ("bad date", "AUTH", "ana", says(Part::Solution, "2026-02-30"), bad("check.value", "solution")),
        ("not a number", "AUTH", "ana", says(Part::Constraints, "three"), bad("check.value", "constraints")),
        ("two values for one", "AUTH", "ana", says(Part::Questions, "low, high"), bad("check.value", "questions")),
        ("unknown user", "AUTH", "ana", says(Part::Risks, "zoe"), bad("check.value", "risks")),
        ("not assignable", "AUTH", "ana", says(Part::Risks, "old-otto"), bad("check.value", "risks")),
        ("label with blank", "AUTH", "ana", says(Part::Labels, "web, log in"), bad("check.value", "labels")),
        ("label too long", "AUTH", "ana", long(Part::Labels, 256), bad("check.value", "labels")),
        ("empty summary", "AUTH", "ana", says(Part::Title, "  "), bad("check.required", "title")),
        ("empty summary, not required", "OPEN", "ana", says(Part::Title, "  "), bad("check.required", "title")),
        ("summary with newline", "AUTH", "ana", says(Part::Title, "a\nb"), bad("check.value", "title")),
        ("summary 256", "AUTH", "ana", long(Part::Title, 256), bad("check.value", "title")),
        ("may not browse", "AUTH", "ben", same(), whole("check.permission", "project")),
        ("may not create", "AUTH", "cal", same(), whole("check.permission", "project")),
        ("may not edit", "AUTH", "dan", same(), whole("check.permission", "project")),
        ("may not link", "AUTH", "eve", same(), whole("check.permission", "project")),
        ("parent missing", "AUTH", "ana", under("AUTH-99"), bad("check.parent", "parent")),
        ("parent in another project", "AUTH", "ana", under("OPEN-1"), bad("check.parent", "parent")),
        ("parent of the wrong level", "AUTH", "ana", under("AUTH-1"), bad("check.parent", "parent")),
        ("no link field", "FLD", "ana", same(), whole("check.parent", "parent")),
        ("sub-tasks off", "SUB", "ana", same(), whole("check.parent", "parent")),
        ("ADF too long", "AUTH", "ana", long(Part::Problem, MAX_BODY), bad("check.adf", "body")),
        ("invalid node", "AUTH", "ana", says(Part::Problem, "a\0b"), bad("check.adf", "problem")),
        ("missing issue", "AUTH", "ana", says(Part::Dependencies, "AUTH-99"), bad("check.reference", "dependencies")),
        ("missing link type", "AUTH", "ana", says(Part::Dependencies, "clones: AUTH-1"), bad("check.reference", "dependencies")),
        ("two epics share an id", "AUTH", "ana", Box::new(|item: &mut Item| {
            *item = Item { id: "e".into(), parent: None, ..batch(&|_| {}).remove(0) };
        }), ["e", "check.shape", "id"]),
    ];
    kinds
}

async fn filled() -> Local {
    let local = Local::new(projects());
    let [epic, story] =
        <[Item; 2]>::try_from(batch(&|item| drop(item.fields.remove(&Part::Dependencies)))).unwrap();
    let story = Item { parent: None, ..story };
    applied(local.tracker.create(TENANT, "AUTH", &"fx_1".into(), &story, None).await);
    let epic = Item { fields: [(Part::Title, "Elsewhere".to_owned())].into(), ..epic };
    applied(local.tracker.create(TENANT, "OPEN", &"fx_2".into(), &epic, None).await);
    local
}

#[tokio::test]
async fn every_kind_is_caught_by_its_code_and_item_and_nothing_is_sent() {
    let local = filled().await;
    let sent = local.faults.create_requests();
    applied(local.tracker.check(TENANT, "AUTH", Some("ana"), &batch(&|_| {})).await);
    for (what, project, by, change, expected) in kinds() {
        let attempt = local.tracker.check(TENANT, project, Some(by), &batch(&*change)).await;
        let Attempt::Rejected { errors, .. } = attempt else { panic!("{what}: {attempt:?}") };
        let found: Vec<[&str; 3]> =
            errors.iter().map(|e| [e.item.as_str(), e.code.as_str(), e.field.as_str()]).collect();
        // Only the one mistake is found.
        assert_eq!(found, [expected], "{what}: {errors:?}");
    }
    assert_eq!(local.faults.create_requests(), sent, "0 creates sent");
}

/// Each kind has a text of its own, which says what is wrong.
#[tokio::test]
async fn every_kind_says_what_is_wrong_in_words_of_its_own() {
    let local = filled().await;
    let mut texts = BTreeMap::new();
    for (what, project, by, change, _) in kinds() {
        let attempt = local.tracker.check(TENANT, project, Some(by), &batch(&*change)).await;
        let Attempt::Rejected { text, .. } = attempt else { panic!("{what}: {attempt:?}") };
        let (text, german) = (text.text(Language::En), text.text(Language::De));
        assert_ne!(text, german, "{what}");
        if let Some(other) = texts.insert(text.replace(project, "AUTH"), what) {
            let alike =
                [what, other].iter().all(|what| what.starts_with("project") || what.starts_with("empty"));
            assert!(alike, "{what} reads as {other}: {text}");
        }
    }
}

/// All mistakes at once, in a fixed order, so that a person can mend everything in one go.
#[tokio::test]
async fn every_mistake_of_an_item_is_told_at_once() {
    let local = filled().await;
    let items = batch(&|item| {
        item.item_type = ItemType::Bug;
        item.fields.remove(&Part::Problem);
        item.fields.extend([
            (Part::Steps, "open".into()),
            (Part::Title, "a\nb".into()),
            (Part::Risks, "zoe\0".into()),
            (Part::Dependencies, "clones: AUTH-99".into()),
        ]);
    });
    let attempt = local.tracker.check(TENANT, "AUTH", Some("eve"), &items).await;
    let Attempt::Rejected { errors, .. } = attempt else { panic!("{attempt:?}") };
    let codes: Vec<&str> = errors.iter().map(|e| e.code.as_str()).collect();
    assert_eq!(
        codes,
        [
            "check.type",
            "check.required",
            "check.field",
            "check.value",
            "check.value",
            "check.adf",
            "check.reference",
            "check.reference",
            "check.permission",
        ]
    );
}
