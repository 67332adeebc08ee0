//! The names of fields in what the fake sends, against the samples of Slack's SDK for Java. The samples are third-party
//! documents and not part of the repository; without them the test is skipped.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use throughline_fakes::slack::{FakeSlack, Kind};
use throughline_fakes::{system_clock, telegram};

use crate::app::call;
use crate::{ANA, GENERAL, card, modal, slack};

/// Fields that are younger than the samples, or that the samples leave out.
const YOUNGER: [&str; 5] = ["assistant_thread", "context", "file_access", "response_urls", "values"];
/// Fields whose own fields are ids or the app's.
const FREE: [&str; 3] = ["blocks", "event_payload", "values"];

fn collect(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            into.insert(name.clone());
            if !FREE.contains(&name.as_str()) {
                collect(value, into);
            }
        }),
        Value::Array(all) => all.iter().for_each(|value| collect(value, into)),
        _ => {}
    }
}

/// Returns the names of all fields of the samples in a folder.
fn samples(folder: &Path, into: &mut BTreeSet<String>) -> Option<()> {
    for entry in std::fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        if path.is_dir() {
            samples(&path, into)?;
        } else if path.extension().is_some_and(|end| end == "json") {
            let text = std::fs::read_to_string(&path).ok()?;
            collect(&serde_json::from_str(&text).ok()?, into);
        }
    }
    Some(())
}

/// Does everything that people can do.
async fn acts(slack: &FakeSlack) {
    let ts = slack.says(GENERAL, ANA, &format!("{} hello", FakeSlack::MENTION));
    let reply = slack.says_in(GENERAL, &ts, ANA, "reply");
    slack.broadcasts(GENERAL, &ts, ANA, "to all");
    slack.shares_file(GENERAL, ANA, "look", "plan.pdf");
    slack.bot_says(GENERAL, "B0NIGHTLY", "build failed");
    slack.edits(GENERAL, &reply, "other");
    slack.deletes(GENERAL, &reply);
    slack.reacts(GENERAL, ANA, &ts, "eyes", true);
    slack.reacts(GENERAL, ANA, &ts, "eyes", false);
    slack.says_to_bot(ANA, "hello");
    slack.channel_of(FakeSlack::TEAM, "G0SECRET1", "secret", Kind::Private, &[]);
    slack.joins("G0SECRET1", ANA);
    slack.starts_assistant(ANA);
    let post = json!({"channel": GENERAL, "thread_ts": ts, "text": "card", "blocks": card()});
    call(slack, "chat.postMessage", post).await;
    let card = slack.card(GENERAL).unwrap();
    slack.presses(GENERAL, ANA, &card.ts, "Approve");
    slack.message_shortcut(GENERAL, ANA, &ts, "make_ticket");
    slack.commands(GENERAL, ANA, "/maro", "help");
    let shortcut = slack.shortcut(ANA, "new_ticket");
    let trigger = slack.delivery(shortcut).payload["trigger_id"].clone();
    let mut view = modal();
    view["notify_on_close"] = json!(true);
    call(slack, "views.open", json!({"trigger_id": trigger, "view": view})).await;
    slack.submits(ANA);
    slack.dismisses(ANA, true);
    slack.opens_home(ANA, "home");
    slack.deactivates(ANA, true);
    slack.uninstalls(ANA);
}

#[tokio::test]
async fn the_fields_of_deliveries_are_slacks() {
    let mut known: BTreeSet<String> = YOUNGER.iter().map(|name| (*name).to_owned()).collect();
    let folder = telegram::specs().join("slack/java-slack-sdk/json-logs/samples");
    let there = samples(&folder, &mut known).is_some();
    let slack = slack(system_clock()).await;
    slack.set_enterprise(FakeSlack::TEAM, "E0ENTERP1");
    acts(&slack).await;
    let deliveries = slack.deliveries();
    let mut ids: Vec<&Value> =
        deliveries.iter().map(|one| &one.payload["event_id"]).filter(|id| id.is_string()).collect();
    let all = ids.len();
    ids.sort_by_key(|id| id.to_string());
    ids.dedup();
    assert_eq!((ids.len(), deliveries.len()), (all, 24));
    if !there {
        return;
    }
    let mut written = BTreeSet::new();
    deliveries.iter().for_each(|delivery| collect(&delivery.payload, &mut written));
    let invented: Vec<_> = written.difference(&known).collect();
    assert!(invented.is_empty(), "{invented:?}");
}
