//! Schema of `policy`: derived from the engine's default values, and what these leave out.

use throughline_engine::Policy;
use throughline_engine::data::policy::RetentionLimits;
use throughline_engine::data::policy::context::{ContextPolicy, FactsPolicy, SummaryPolicy};
use throughline_engine::data::policy::hosting::BuiltIn;
use throughline_engine::data::policy::selection::SelectionPolicy;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::data::ticket::{ItemType, Part};

use super::{Schema, SettingKey, key, texts, words};

/// Schema of the engine's policy, derived from its default values. Approver rules are configured at the top level.
pub(super) fn policy() -> Schema {
    let mut schema = of(&Policy::default());
    if let Schema::Table(keys) = &mut schema {
        keys.retain(|key| key.name != "approvers");
        for key in keys.iter_mut().filter(|key| key.name == "busy") {
            key.schema = Schema::Word(vec!["queue", "collect"]);
        }
        keys.push(key(
            "places",
            texts(),
            "Names of places that are known here, beside those of the gazetteer.",
        ));
        let entry = vec![
            key("said", Schema::Text, "Phrase that messages begin with here."),
            key("means", Schema::Text, "Words that it is read as."),
        ];
        let entries = Schema::List(Box::new(Schema::Table(entry)));
        keys.push(key("lexicon", entries, "Phrases of your own, with words that mean the same."));
        keys.push(key(
            "selection",
            selections(),
            "Which option of a list that is shown a short message means.",
        ));
        keys.extend([
            key("drafts", drafts(), "Gaps of tickets that are drafted."),
            key("retention", of(&RetentionLimits::default()), "Age at which what was said is erased."),
            key("context", context(), "What prompts tell of the past."),
            key("summary", of(&SummaryPolicy::default()), "When and how a conversation is condensed."),
            key("facts", facts(), "What is remembered as fact, and how much of it is shown."),
        ]);
        for judge in keys.iter_mut().filter(|key| key.name == "judge") {
            if let Schema::Table(keys) = &mut judge.schema {
                keys.push(key(
                    "confirm",
                    Schema::Number,
                    "Margin of a yes to a confirmation; without it: never.",
                ));
            }
        }
        keys.extend(hosting());
        let mut place = vec![
            key("tenant", Schema::Text, "Its tenant."),
            key("channel", Schema::Text, "Its channel: slack."),
            key("conversation", Schema::Text, "Its room, chat or session."),
            key("thread", Schema::Text, "Its thread."),
        ];
        place.extend(hosting());
        let places = Schema::List(Box::new(Schema::Table(place)));
        keys.push(key(
            "hosted",
            places,
            "Places where the work is divided otherwise. The first that fits counts.",
        ));
        keys.push(key(
            "handover_ms",
            Schema::Number,
            "Milliseconds that a host has to answer a turn; 120,000 by default.",
        ));
    }
    schema
}

/// Division of the work between the engine and a host's own agent.
fn hosting() -> Vec<SettingKey> {
    let built_in = BuiltIn::ALL.iter().map(|one| one.as_str()).collect();
    vec![
        key(
            "fallback",
            Schema::Word(vec!["gate", "host"]),
            "Who is asked about a message that no rule decides.",
        ),
        key("capabilities", words(built_in), "Capabilities that are on; all of them if none is named."),
        key("replies", Schema::Word(vec!["engine", "host", "none"]), "Who says what the engine has to say."),
    ]
}

/// Schema of `policy.selection`. Options that default to nothing have no value to derive a key from, so they are
/// added here.
fn selections() -> Schema {
    let mut schema = of(&SelectionPolicy::default());
    if let Schema::Table(keys) = &mut schema {
        let command = vec![
            key("phrase", Schema::Text, "What is said."),
            key("target", Schema::Text, "What it is about, when an option may be the same thing."),
        ];
        let commands = Schema::List(Box::new(Schema::Table(command)));
        keys.push(key("commands", commands, "Phrases that are commands of the host, and never options."));
        let scopes = words(
            throughline_engine::data::scope::Scope::ALL
                .map(throughline_engine::data::scope::Scope::as_str)
                .to_vec(),
        );
        for key in keys.iter_mut().filter(|key| key.name == "model") {
            if let Schema::Table(keys) = &mut key.schema {
                keys.retain(|key| key.name != "scopes");
                keys.push(self::key("scopes", scopes.clone(), "For lists where."));
            }
        }
    }
    schema
}

fn drafts() -> Schema {
    let parts = || Part::ALL.iter().map(|part| part.as_str()).collect::<Vec<_>>();
    let types = [ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic].map(ItemType::as_str);
    let of_type = types.map(|name| key(name, words(parts()), "The parts it is not approved without."));
    let forbid = Schema::Table(of_type.into());
    let answers = Schema::Word(vec!["everybody", "asker"]);
    Schema::Table(vec![
        key("forbid", forbid, "Gaps that forbid Approve, by type, beside the title. The others only warn."),
        key("answers", answers, "Whose answers fill a gap."),
    ])
}

fn context() -> Schema {
    let mut schema = of(&ContextPolicy::default());
    if let Schema::Table(keys) = &mut schema {
        let over = [TaskStatus::Completed, TaskStatus::Failed, TaskStatus::Cancelled];
        for key in keys {
            match (&*key.name, &mut key.schema) {
                ("history_statuses", schema) => *schema = words(over.map(TaskStatus::as_str).to_vec()),
                ("project", Schema::Table(keys)) => {
                    keys.push(self::key("goal", Schema::Text, "What it is to come to."));
                }
                _ => {}
            }
        }
    }
    schema
}

fn facts() -> Schema {
    let mut schema = of(&FactsPolicy::default());
    if let Schema::Table(keys) = &mut schema {
        keys.push(key("trusted_authors", texts(), "Whose words are trusted; none: every full member."));
    }
    schema
}

/// Derives a schema from the default value of a part of the policy.
fn of(part: &impl serde::Serialize) -> Schema {
    of_json(&serde_json::to_value(part).unwrap_or_default())
}

fn of_json(value: &serde_json::Value) -> Schema {
    match value {
        serde_json::Value::Object(members) => Schema::Table(
            members
                .iter()
                .map(|(name, value)| SettingKey {
                    name: name.clone().into(),
                    schema: of_json(value),
                    description: "",
                })
                .collect(),
        ),
        serde_json::Value::Number(_) => Schema::Number,
        serde_json::Value::Bool(_) => Schema::Flag,
        serde_json::Value::Array(_) => texts(),
        serde_json::Value::String(_) | serde_json::Value::Null => Schema::Text,
    }
}
