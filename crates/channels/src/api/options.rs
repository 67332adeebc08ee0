//! Lists of options as a host sends them (`spec 04 §2.3`): shown, closed, looked at, and pressed where the host shows
//! them. What may be registered is the engine's to say; here it is only found out where in the request it is not so.

use serde::{Deserialize, Serialize};
use throughline_engine::EventKind;
use throughline_engine::effect::EffectResult;
use throughline_engine::event::{FocusChanged, Press};
use throughline_engine::id::SetId;
use throughline_engine::policy::limits::{OPTION_ID, OPTION_LABEL, SET_OPTIONS};
use throughline_engine::selection::{Metadata, OptionSet, Origin, Role, Scope, SetOption, Shown, Unfit};
use throughline_engine::work::Risk;

use super::inbound::PressRequest;
use super::limits::{Problem, Reader};
use super::normalise::shortened;

/// A list of options a host shows somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShownRequest {
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The concrete chat, panel, dashboard or workspace: an id of the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
    /// What people call that place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `lane` or `user`; when it is left out, whether a user is named says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Whose list it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The options, in an order that stays when they are displayed in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionRequest>>,
    /// The host can be asked what the list holds now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshable: Option<bool>,
    /// The host's id of the message that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Option ids in the order they are displayed; those that are left out are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displayed: Option<Vec<String>>,
    /// The option that has the focus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focused_option: Option<String>,
}

/// One option.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionRequest {
    /// Its id in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A second line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// A short sign shown beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// What else it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// What else is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataRequest>,
    /// `normal`, `exit` or `none_of_these`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Whether running it twice is nothing to ask about; it is, if nobody says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeatable: Option<bool>,
    /// What the host runs when it is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ref: Option<String>,
    /// `read`, `write` or `destructive`: what is not `read` waits for an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

/// What tells two alike options apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetadataRequest {
    /// Where it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What kind of thing it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its place by how recently it was used, 0 the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency_rank: Option<u32>,
}

/// A list that is there no more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClosedRequest {
    /// The list, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Or all lists of a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
}

/// Where somebody looks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FocusRequest {
    /// Who; otherwise the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// `chat`, `widget`, `dashboard` or `workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The concrete place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_instance: Option<String>,
    /// The option in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

const SCOPES: &str = "chat, widget, dashboard or workspace";

/// The list that is shown. Of one that cannot be taken, each problem is told with its place.
pub(super) fn shown(at: &str, kind: &str, shown: ShownRequest, read: &mut Reader) -> Shown {
    let before = read.problems.len();
    let place = |member: &str| format!("{at}/{member}");
    let options = read.required(&place("options"), kind, shown.options);
    let options = options.into_iter().take(SET_OPTIONS + 1).enumerate();
    let shown = Shown {
        scope: scope(&place("scope"), kind, shown.scope, read),
        scope_instance: instance(&place("scope_instance"), kind, shown.scope_instance, read),
        title: text(&place("title"), shown.title, read),
        user: audience(at, shown.audience.as_deref(), shown.user, read),
        options: options
            .map(|(n, option)| self::option(&format!("{at}/options/{n}"), option, read))
            .collect(),
        refreshable: shown.refreshable.unwrap_or(false),
        message_id: id(&place("message_id"), shown.message_id, read),
        displayed: shown.displayed,
        focused_option: shown.focused_option,
    };
    if read.problems.len() == before {
        read.problems.extend(unfit(at, &shown));
    }
    shown
}

/// The options of a snapshot, which is at `at` of its request.
///
/// # Errors
///
/// Everything that is wrong with them, each with its JSON pointer.
pub fn snapshot(
    at: &str,
    options: Vec<OptionRequest>,
    focused: Option<String>,
) -> Result<EffectResult, Vec<Problem>> {
    let mut read = Reader::default();
    let taken = options.into_iter().take(SET_OPTIONS + 1).enumerate();
    let options: Vec<_> =
        taken.map(|(n, option)| self::option(&format!("{at}/options/{n}"), option, &mut read)).collect();
    let held = Shown { options, focused_option: focused, ..somewhere() };
    if read.problems.is_empty() && !held.options.is_empty() {
        read.problems = unfit(at, &held);
        for problem in &mut read.problems {
            problem.pointer = problem.pointer.replace("/focused_option", "/focused");
        }
    }
    let Shown { options, focused_option: focused, .. } = held;
    if read.problems.is_empty() {
        Ok(EffectResult::Snapshot { options, focused })
    } else {
        Err(read.problems)
    }
}

/// A snapshot does not say again where its list is.
fn somewhere() -> Shown {
    Shown {
        scope: Scope::Chat,
        scope_instance: "-".into(),
        title: None,
        user: None,
        options: Vec::new(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
    }
}

pub(super) fn closed(kind: &str, closed: ClosedRequest, read: &mut Reader) -> EventKind {
    if closed.set.is_none() == closed.scope_instance.is_none() {
        let text =
            format!("{kind} needs the list, by set, or the place it was in, by scope_instance; not both");
        read.wrong("/closed", text);
    }
    let set = id("/closed/set", closed.set, read).map(SetId);
    EventKind::OptionsClosed {
        set,
        scope_instance: id("/closed/scope_instance", closed.scope_instance, read),
    }
}

pub(super) fn focus(at: &str, kind: &str, focus: FocusRequest, actor: &str, read: &mut Reader) -> EventKind {
    let place = |member: &str| format!("{at}/{member}");
    let user = id(&place("user"), focus.user, read).unwrap_or_else(|| actor.into());
    if user.is_empty() {
        read.wrong(&place("user"), format!("{kind} needs user: say who looks there"));
    }
    EventKind::FocusChanged(FocusChanged {
        user,
        scope: scope(&place("scope"), kind, focus.scope, read),
        scope_instance: instance(&place("scope_instance"), kind, focus.scope_instance, read),
        option: id(&place("option"), focus.option, read),
    })
}

/// A button by its token, or an option by its list.
pub(super) fn press(kind: &str, press: PressRequest, read: &mut Reader) -> Press {
    let PressRequest { token, set, version, option, remember: _ } = press;
    if set.is_none() && version.is_none() && option.is_none() {
        // The token is opaque; one we do not know is answered in the turn, not refused here.
        read.maybe_id("/press/token", token.as_deref());
        return Press::Token(read.required("/press/token", kind, token));
    }
    if token.is_some() {
        read.wrong("/press", "a press is of a button, by token, or of an option, by set, version and option");
    }
    let what = format!("{kind} of an option");
    let set = id("/press/set", read_set(set, &what, read), read);
    let option = id("/press/option", option, read);
    Press::Option {
        set: SetId(set.unwrap_or_default()),
        version: read.required("/press/version", &what, version),
        option: read.required("/press/option", &what, option),
    }
}

fn read_set(set: Option<String>, what: &str, read: &mut Reader) -> Option<String> {
    if set.is_none() {
        read.wrong("/press/set", format!("{what} needs set"));
    }
    set
}

fn scope(at: &str, kind: &str, word: Option<String>, read: &mut Reader) -> Scope {
    let word: String = read.required(at, kind, word);
    let known = Scope::ALL.into_iter().find(|scope| scope.word() == word);
    if known.is_none() && !read.named(at) {
        read.wrong(at, format!("“{}” is no scope; it is {SCOPES}", shortened(&word)));
    }
    known.unwrap_or(Scope::Chat)
}

fn instance(at: &str, kind: &str, given: Option<String>, read: &mut Reader) -> String {
    if let Some(given) = &given {
        read.id(at, given);
    }
    read.required(at, kind, given)
}

fn id(at: &str, id: Option<String>, read: &mut Reader) -> Option<String> {
    read.maybe_id(at, id.as_deref());
    id
}

fn text(at: &str, text: Option<String>, read: &mut Reader) -> Option<String> {
    read.text(at, text.as_deref().unwrap_or_default());
    text
}

fn audience(at: &str, audience: Option<&str>, user: Option<String>, read: &mut Reader) -> Option<String> {
    let user = id(&format!("{at}/user"), user, read);
    match (audience, &user) {
        (None, _) | (Some("lane"), None) | (Some("user"), Some(_)) => {}
        (Some("lane"), Some(_)) => {
            read.wrong(&format!("{at}/user"), "a list for the whole lane names no user; leave it out");
        }
        (Some("user"), None) => read.wrong(&format!("{at}/user"), "a list for one user says whose it is"),
        (Some(other), _) => {
            let text = format!("“{}” is no audience; it is lane or user", shortened(other));
            read.wrong(&format!("{at}/audience"), text);
        }
    }
    user
}

fn option(at: &str, option: OptionRequest, read: &mut Reader) -> SetOption {
    let place = |member: &str| format!("{at}/{member}");
    let what = "an option";
    let metadata = option.metadata.unwrap_or_default();
    let role = word(&place("role"), option.role.as_deref(), &ROLES, read).unwrap_or_default();
    let risk = word(&place("risk"), option.risk.as_deref(), &RISKS, read).unwrap_or(Risk::Read);
    let aliases = option.aliases.unwrap_or_default();
    for (n, alias) in aliases.iter().enumerate() {
        read.words(&format!("{at}/aliases/{n}"), alias);
    }
    SetOption {
        id: read.required(&place("id"), what, option.id),
        label: read.required(&place("label"), what, option.label),
        sublabel: text(&place("sublabel"), option.sublabel, read),
        badge: text(&place("badge"), option.badge, read),
        aliases,
        metadata: Metadata {
            path: text(&place("metadata/path"), metadata.path, read),
            kind: text(&place("metadata/type"), metadata.kind, read),
            owner: text(&place("metadata/owner"), metadata.owner, read),
            recency_rank: metadata.recency_rank,
        },
        role,
        repeatable: option.repeatable.unwrap_or(true),
        exec_ref: text(&place("exec_ref"), option.exec_ref, read),
        risk,
    }
}

const ROLES: [(&str, Role); 3] =
    [("normal", Role::Normal), ("exit", Role::Exit), ("none_of_these", Role::NoneOfThese)];
const RISKS: [(&str, Risk); 3] =
    [("read", Risk::Read), ("write", Risk::Write), ("destructive", Risk::Destructive)];

fn word<T: Copy>(at: &str, given: Option<&str>, known: &[(&str, T)], read: &mut Reader) -> Option<T> {
    let given = given?;
    let found = known.iter().find(|(word, _)| *word == given).map(|(_, meant)| *meant);
    if found.is_none() {
        let known = known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        read.wrong(at, format!("“{}” is not known here; it is one of {known}", shortened(given)));
    }
    found
}

/// What of a list the engine would not take. Its own check is asked of the list, then of parts of it, until the part
/// that fails is found.
fn unfit(at: &str, shown: &Shown) -> Vec<Problem> {
    let fits = |shown: &Shown| OptionSet::of(shown, Origin::Host).err();
    let with =
        |options: Vec<SetOption>| Shown { options, displayed: None, focused_option: None, ..shown.clone() };
    let problem = |place: &str, text: String| Problem::new(format!("{at}/{place}"), text);
    let Some(why) = fits(shown) else { return Vec::new() };
    match why {
        Unfit::BadScope => return vec![problem("scope_instance", "say which one it is".into())],
        Unfit::TooMany => {
            let text =
                format!("a list has 1 to {SET_OPTIONS} options; {} were sent", sent(shown.options.len()));
            return vec![problem("options", text)];
        }
        Unfit::BadOption => {}
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
                format!("an option's id has 1 to {OPTION_ID} bytes"),
            ));
        } else if let Some(first) = shown.options[..n].iter().position(|other| other.id == option.id) {
            let text = format!("option {first} has this id too; each has one of its own");
            found.push(problem(&format!("options/{n}/id"), text));
        }
    }
    if !found.is_empty() {
        return found;
    }
    let displayed = |ids: &[String]| Shown { displayed: Some(ids.into()), ..with(shown.options.clone()) };
    let order = shown.displayed.as_deref().unwrap_or_default();
    if let Some(n) = (0..order.len()).find(|n| fits(&displayed(&order[..=*n])).is_some()) {
        found.push(problem(&format!("displayed/{n}"), "each is the id of one of the options, once".into()));
    }
    let focused = Shown { focused_option: shown.focused_option.clone(), ..with(shown.options.clone()) };
    if fits(&focused).is_some() {
        found.push(problem("focused_option", "it is the id of one of the options".into()));
    }
    if found.is_empty() {
        found.push(problem("options", "these options cannot be taken together".into()));
    }
    found
}

/// Enough were read to know that they are too many.
fn sent(options: usize) -> String {
    if options > SET_OPTIONS { "more".into() } else { options.to_string() }
}

#[cfg(test)]
mod tests;
