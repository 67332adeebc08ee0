//! Checks lists of options that a host sends: shown, closed, looked at, pressed (`docs/design/0021-option-lists.md`).
//! The engine decides what may be registered; this file finds the place in the request of what it refuses.

use std::collections::BTreeMap;

use serde_json::Value;
use throughline_engine::EventKind;
use throughline_engine::data::call::Risk;
use throughline_engine::data::effect::EffectResult;
use throughline_engine::data::event::{FocusChanged, Press};
use throughline_engine::data::field::{FieldValue, Fields, NamedComparison, name_problem};
use throughline_engine::data::id::SetId;
use throughline_engine::data::option_set::{OptionSet, OptionSetError, OptionSetOrigin, OptionsShown};
use throughline_engine::data::policy::limits::{
    LIST_COMPARISONS, OPTION_FIELDS, OPTION_ID, OPTION_LABEL, OPTION_NUMBERS, SET_OPTIONS,
};
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::{Metadata, OptionRole, SetOption};

use super::problem::{Checker, Problem, shortened, step};
use super::request::{
    ClosedRequest, ComparisonRequest, FocusRequest, OptionRequest, PressRequest, ShownRequest,
};

const SCOPES: &str = "chat, widget, dashboard or workspace";

/// Checks a list that is shown, and reports each problem with its place.
pub(super) fn shown(at: &str, kind: &str, shown: ShownRequest, check: &mut Checker) -> OptionsShown {
    let before = check.problems.len();
    let place = |member: &str| format!("{at}/{member}");
    let options = check.required(&place("options"), kind, shown.options);
    let options = options.into_iter().take(SET_OPTIONS + 1).enumerate();
    let shown = OptionsShown {
        scope: scope(&place("scope"), kind, shown.scope, check),
        scope_instance: instance(&place("scope_instance"), kind, shown.scope_instance, check),
        title: text(&place("title"), shown.title, check),
        user: audience(at, shown.audience.as_deref(), shown.user, check),
        options: options
            .map(|(n, option)| self::option(&format!("{at}/options/{n}"), option, check))
            .collect(),
        refreshable: shown.refreshable.unwrap_or(false),
        message_id: id(&place("message_id"), shown.message_id, check),
        displayed: shown.displayed,
        numbers_from: shown.numbers_from.unwrap_or(1),
        focused_option: shown.focused_option,
        comparisons: comparisons(at, shown.comparisons.unwrap_or_default(), check),
        asked: shown.asked.unwrap_or(false),
    };
    if check.problems.len() == before {
        check.problems.extend(unfit(at, &shown));
    }
    shown
}

/// Checks the options of a snapshot, which is at `at` in its request.
///
/// # Errors
///
/// Every problem, each with its JSON pointer.
pub fn snapshot(
    at: &str,
    options: Vec<OptionRequest>,
    focused: Option<String>,
) -> Result<EffectResult, Vec<Problem>> {
    let mut check = Checker::default();
    let taken = options.into_iter().take(SET_OPTIONS + 1).enumerate();
    let options: Vec<_> =
        taken.map(|(n, option)| self::option(&format!("{at}/options/{n}"), option, &mut check)).collect();
    let held = OptionsShown { options, focused_option: focused, ..somewhere() };
    if check.problems.is_empty() && !held.options.is_empty() {
        check.problems = unfit(at, &held);
        for problem in &mut check.problems {
            problem.pointer = problem.pointer.replace("/focused_option", "/focused");
        }
    }
    let OptionsShown { options, focused_option: focused, .. } = held;
    if check.problems.is_empty() {
        Ok(EffectResult::Snapshot { options, focused })
    } else {
        Err(check.problems)
    }
}

/// A placeholder for the place of a list, which a snapshot does not repeat.
fn somewhere() -> OptionsShown {
    OptionsShown {
        scope: Scope::Chat,
        scope_instance: "-".into(),
        title: None,
        user: None,
        options: Vec::new(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    }
}

pub(super) fn closed(kind: &str, closed: ClosedRequest, check: &mut Checker) -> EventKind {
    if closed.set.is_none() == closed.scope_instance.is_none() {
        let text =
            format!("{kind} needs the list, by set, or the place it was in, by scope_instance; not both");
        check.wrong("/closed", text);
    }
    let set = id("/closed/set", closed.set, check).map(SetId);
    EventKind::OptionsClosed {
        set,
        scope_instance: id("/closed/scope_instance", closed.scope_instance, check),
    }
}

pub(super) fn focus(
    at: &str,
    kind: &str,
    focus: FocusRequest,
    actor: &str,
    check: &mut Checker,
) -> EventKind {
    let place = |member: &str| format!("{at}/{member}");
    let user = id(&place("user"), focus.user, check).unwrap_or_else(|| actor.into());
    if user.is_empty() {
        check.wrong(&place("user"), format!("{kind} needs user: say who looks there"));
    }
    EventKind::FocusChanged(FocusChanged {
        user,
        scope: scope(&place("scope"), kind, focus.scope, check),
        scope_instance: instance(&place("scope_instance"), kind, focus.scope_instance, check),
        option: id(&place("option"), focus.option, check),
    })
}

/// Checks a press: of a button by its token, or of an option by its list.
pub(super) fn press(kind: &str, press: PressRequest, check: &mut Checker) -> Press {
    let PressRequest { token, set, version, option, remember: _ } = press;
    if set.is_none() && version.is_none() && option.is_none() {
        // The token is opaque: an unknown one is answered by the turn, not refused here.
        check.maybe_id("/press/token", token.as_deref());
        return Press::Token(check.required("/press/token", kind, token));
    }
    if token.is_some() {
        check
            .wrong("/press", "a press is of a button, by token, or of an option, by set, version and option");
    }
    let what = format!("{kind} of an option");
    let set = id("/press/set", read_set(set, &what, check), check);
    let option = id("/press/option", option, check);
    Press::Option {
        set: SetId(set.unwrap_or_default()),
        version: check.required("/press/version", &what, version),
        option: check.required("/press/option", &what, option),
    }
}

fn read_set(set: Option<String>, what: &str, check: &mut Checker) -> Option<String> {
    if set.is_none() {
        check.wrong("/press/set", format!("{what} needs set"));
    }
    set
}

fn scope(at: &str, kind: &str, word: Option<String>, check: &mut Checker) -> Scope {
    let word: String = check.required(at, kind, word);
    let known = Scope::ALL.into_iter().find(|scope| scope.as_str() == word);
    if known.is_none() && !check.named(at) {
        check.wrong(at, format!("“{}” is no scope; it is {SCOPES}", shortened(&word)));
    }
    known.unwrap_or(Scope::Chat)
}

fn instance(at: &str, kind: &str, given: Option<String>, check: &mut Checker) -> String {
    if let Some(given) = &given {
        check.id(at, given);
    }
    check.required(at, kind, given)
}

fn id(at: &str, id: Option<String>, check: &mut Checker) -> Option<String> {
    check.maybe_id(at, id.as_deref());
    id
}

fn text(at: &str, text: Option<String>, check: &mut Checker) -> Option<String> {
    check.text(at, text.as_deref().unwrap_or_default());
    text
}

fn audience(at: &str, audience: Option<&str>, user: Option<String>, check: &mut Checker) -> Option<String> {
    let user = id(&format!("{at}/user"), user, check);
    match (audience, &user) {
        (None, _) | (Some("lane"), None) | (Some("user"), Some(_)) => {}
        (Some("lane"), Some(_)) => {
            check.wrong(&format!("{at}/user"), "a list for the whole lane names no user; leave it out");
        }
        (Some("user"), None) => check.wrong(&format!("{at}/user"), "a list for one user says whose it is"),
        (Some(other), _) => {
            let text = format!("“{}” is no audience; it is lane or user", shortened(other));
            check.wrong(&format!("{at}/audience"), text);
        }
    }
    user
}

fn option(at: &str, option: OptionRequest, check: &mut Checker) -> SetOption {
    let place = |member: &str| format!("{at}/{member}");
    let what = "an option";
    let metadata = option.metadata.unwrap_or_default();
    let role = word(&place("role"), option.role.as_deref(), &ROLES, check).unwrap_or_default();
    let risk = word(&place("risk"), option.risk.as_deref(), &RISKS, check).unwrap_or(Risk::Read);
    let aliases = option.aliases.unwrap_or_default();
    for (n, alias) in aliases.iter().enumerate() {
        check.words(&format!("{at}/aliases/{n}"), alias);
    }
    SetOption {
        id: check.required(&place("id"), what, option.id),
        label: check.required(&place("label"), what, option.label),
        sublabel: text(&place("sublabel"), option.sublabel, check),
        badge: text(&place("badge"), option.badge, check),
        aliases,
        metadata: Metadata {
            path: text(&place("metadata/path"), metadata.path, check),
            kind: text(&place("metadata/type"), metadata.kind, check),
            owner: text(&place("metadata/owner"), metadata.owner, check),
            recency_rank: metadata.recency_rank,
        },
        fields: fields(&place("fields"), option.fields.unwrap_or_default(), check),
        role,
        repeatable: option.repeatable.unwrap_or(true),
        exec_ref: text(&place("exec_ref"), option.exec_ref, check),
        risk,
    }
}

/// Checks the properties of an option, and reports each problem with its place.
fn fields(at: &str, given: BTreeMap<String, Value>, check: &mut Checker) -> Fields {
    if given.len() > OPTION_FIELDS {
        check
            .wrong(at, format!("an option has at most {OPTION_FIELDS} fields; this one has {}", given.len()));
        return Fields::new();
    }
    let mut taken = Fields::new();
    for (name, value) in given {
        let place = format!("{at}/{}", step(&name));
        let value = FieldValue::from_json(value).and_then(|value| value.problem().map_or(Ok(value), Err));
        match (name_problem(&name), value) {
            (Some(wrong), _) => check.wrong(&place, wrong),
            (None, Err(wrong)) => check.wrong(&place, wrong),
            (None, Ok(value)) => {
                check.text(&place, &name);
                value.texts().for_each(|text| check.text(&place, text));
                taken.insert(name, value);
            }
        }
    }
    taken
}

fn comparisons(at: &str, given: Vec<ComparisonRequest>, check: &mut Checker) -> Vec<NamedComparison> {
    if given.len() > LIST_COMPARISONS {
        let text = format!("a list names at most {LIST_COMPARISONS} comparisons; {} were sent", given.len());
        check.wrong(&format!("{at}/comparisons"), text);
        return Vec::new();
    }
    let one = |(n, own): (usize, ComparisonRequest)| {
        let place = |member: &str| format!("{at}/comparisons/{n}/{member}");
        let mut named = |member: &str, text: Option<String>| -> String {
            let text = check.required(&place(member), "a comparison", text);
            if !check.named(&place(member))
                && let Some(wrong) = name_problem(&text)
            {
                check.wrong(&place(member), wrong);
            }
            check.text(&place(member), &text);
            text
        };
        let (name, field) = (named("name", own.name), named("field", own.field));
        NamedComparison { name, field, least: own.least.unwrap_or(false) }
    };
    given.into_iter().enumerate().map(one).collect()
}

const ROLES: [(&str, OptionRole); 3] =
    [("normal", OptionRole::Normal), ("exit", OptionRole::Exit), ("none_of_these", OptionRole::NoneOfThese)];
const RISKS: [(&str, Risk); 3] =
    [("read", Risk::Read), ("write", Risk::Write), ("destructive", Risk::Destructive)];

fn word<T: Copy>(at: &str, given: Option<&str>, known: &[(&str, T)], check: &mut Checker) -> Option<T> {
    let given = given?;
    let found = known.iter().find(|(word, _)| *word == given).map(|(_, meant)| *meant);
    if found.is_none() {
        let known = known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        check.wrong(at, format!("“{}” is not known here; it is one of {known}", shortened(given)));
    }
    found
}

/// The places of what the engine would refuse. The engine's own check is run on the list and then on parts of it,
/// until the part that fails is found.
fn unfit(at: &str, shown: &OptionsShown) -> Vec<Problem> {
    let fits = |shown: &OptionsShown| OptionSet::from_shown(shown, OptionSetOrigin::Host).err();
    let with = |options: Vec<SetOption>| OptionsShown {
        options,
        displayed: None,
        focused_option: None,
        ..shown.clone()
    };
    let problem = |place: &str, text: String| Problem::new(format!("{at}/{place}"), text);
    let Some(why) = fits(shown) else { return Vec::new() };
    match why {
        OptionSetError::BadScope => return vec![problem("scope_instance", "say which one it is".into())],
        OptionSetError::TooMany => {
            let text = format!(
                "a list has 1 to {SET_OPTIONS} options; {} were sent. A longer one is shown in pages: the next with \
                     numbers_from {}",
                sent(shown.options.len()),
                SET_OPTIONS + 1
            );
            return vec![problem("options", text)];
        }
        OptionSetError::BadNumbers => {
            let text = format!("the number of the first option of this page, 1 to {OPTION_NUMBERS}");
            return vec![problem("numbers_from", text)];
        }
        OptionSetError::BadOption => {}
    }
    let mut found = Vec::new();
    for (n, option) in shown.options.iter().enumerate() {
        let alone = |id: &str, label: &str| {
            let option = SetOption { id: id.into(), label: label.into(), ..option.clone() };
            fits(&with(vec![option])).is_none()
        };
        if !alone("o", &option.label) {
            let text = format!("a label has 1 to {OPTION_LABEL} characters, and not only blanks");
            found.push(problem(&format!("options/{n}/label"), text));
        }
        if !alone(&option.id, "o") {
            found.push(problem(
                &format!("options/{n}/id"),
                format!("an option's id has 1 to {OPTION_ID} characters"),
            ));
        } else if let Some(first) = shown.options[..n].iter().position(|other| other.id == option.id) {
            let text = format!("option {first} has this id too; each has one of its own");
            found.push(problem(&format!("options/{n}/id"), text));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let displayed =
        |ids: &[String]| OptionsShown { displayed: Some(ids.into()), ..with(shown.options.clone()) };
    let order = shown.displayed.as_deref().unwrap_or_default();
    if let Some(n) = (0..order.len()).find(|n| fits(&displayed(&order[..=*n])).is_some()) {
        found.push(problem(&format!("displayed/{n}"), "each is the id of one of the options, once".into()));
    }
    let focused =
        OptionsShown { focused_option: shown.focused_option.clone(), ..with(shown.options.clone()) };
    if fits(&focused).is_some() {
        found.push(problem("focused_option", "it is the id of one of the options".into()));
    }
    if found.is_empty() {
        found.push(problem("options", "these options cannot be taken together".into()));
    }
    found
}

/// The number of options sent. Reading stops after the limit, so a larger number is not known.
fn sent(options: usize) -> String {
    if options > SET_OPTIONS { "more".into() } else { options.to_string() }
}

#[cfg(test)]
mod tests;
