//! Schema of projects, of the trackers that they are in, and of the places whose tickets go there.

use throughline_engine::data::ticket::{ItemType, Part};
use throughline_trackers::local::{ChildLink, FieldKind};
use throughline_trackers::redmine::Markup;

use super::{Schema, SettingKey, key, texts, words};

/// Keys of a Jira site.
pub(super) fn jira() -> Vec<SettingKey> {
    use Schema::{Flag, Text, Word};
    vec![
        key("tenant", Text, "The tenant whose tickets go there; the configured tenant if not set."),
        key("base_url", Text, "Its address: https://acme.atlassian.net."),
        key("email", Text, "For Jira Cloud: the address of the account that the token belongs to."),
        key("token_file", Text, "File of the account's API token, or personal access token."),
        key("client_id", Text, "Instead of a token: the client id of an app that a person connects."),
        key("client_secret_file", Text, "File of the app's client secret."),
        key(
            "auth_url",
            Text,
            "For the app: the authorization server; https://auth.atlassian.com if not set.",
        ),
        key("api_url", Text, "For the app: the gateway to sites; https://api.atlassian.com if not set."),
        key("webhook_secret_file", Text, "File of the secret with which its webhooks are signed."),
        key("edition", Word(vec!["cloud", "data_center"]), "Which Jira it is."),
        key("marker", Flag, "Label created issues, so that one is found whose answer was lost."),
        key("bulk", Flag, "Create 10 to 50 issues that are approved together in one request."),
        key("allow_loopback", Flag, "True if base_url may be on this machine, and then http."),
    ]
}

/// Keys of a GitHub.
pub(super) fn github() -> Vec<SettingKey> {
    use Schema::{Flag, Text};
    vec![
        key("tenant", Text, "The tenant whose tickets go there; the configured tenant if not set."),
        key("base_url", Text, "The API of a GitHub Enterprise, which ends in /api/v3."),
        key("token_file", Text, "File of the account's token."),
        key("webhook_secret_file", Text, "File of the secret with which its webhooks are signed."),
        key(
            "marker",
            Flag,
            "Hide the effect's id in created issues, so that one is found whose answer was lost.",
        ),
        key("allow_loopback", Flag, "True if base_url may be on this machine, and then http."),
    ]
}

/// Keys of a workspace of Linear.
pub(super) fn linear() -> Vec<SettingKey> {
    use Schema::{Flag, Text};
    vec![
        key("tenant", Text, "The tenant whose tickets go there; the configured tenant if not set."),
        key("base_url", Text, "Its API; https://api.linear.app if not set."),
        key("token_file", Text, "File of the account's personal API key, or of an app's access token."),
        key("allow_loopback", Flag, "True if base_url may be on this machine, and then http."),
    ]
}

/// Keys of a Redmine.
pub(super) fn redmine() -> Vec<SettingKey> {
    use Schema::{Flag, Text, Word};
    vec![
        key("tenant", Text, "The tenant whose tickets go there; the configured tenant if not set."),
        key("base_url", Text, "Its address, with the path below which it runs."),
        key("token_file", Text, "File of the account's API key."),
        key("markup", Word(Markup::ALL.map(Markup::as_str).into()), "The markup of texts there."),
        key(
            "marker",
            Flag,
            "Hide the effect's id in created issues, so that one is found whose answer was lost.",
        ),
        key("allow_loopback", Flag, "True if base_url may be on this machine, and then http."),
    ]
}

/// Keys of a rule that says where tickets of a place go.
pub(super) fn destination() -> Vec<SettingKey> {
    use Schema::Text;
    vec![
        key("tenant", Text, "The tenant."),
        key("channel", Text, "The channel: slack, telegram, web, api, terminal."),
        key("conversation", Text, "The room or chat, by its id there."),
        key("thread", Text, "The thread or topic, by its id there."),
        key("project", Text, "The project that its tickets go to, if they name none."),
    ]
}

/// Keys of a project.
pub(super) fn project() -> Vec<SettingKey> {
    use Schema::{Flag, Map, Table, Text, Word};
    let parts = || Part::ALL.iter().map(|part| part.as_str()).collect::<Vec<_>>();
    let types = || [ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic].map(ItemType::as_str);
    let ways = || ChildLink::ALL.map(ChildLink::as_str).to_vec();
    let of_type = types().map(|name| key(name, words(parts()), "The parts that must be written for it."));
    let rule = || {
        Table(vec![
            key("kind", Word(FieldKind::ALL.map(FieldKind::as_str).into()), "What a value has to be."),
            key("values", texts(), "The values there are; empty means any."),
            key("closed", texts(), "Of these, those nobody can choose any more."),
        ])
    };
    let labelled_types = types().map(|name| key(name, Text, "The label it gets."));
    let named_types = types().map(|name| key(name, Text, "What Jira calls it, or its tracker in Redmine."));
    let own_fields = Part::ALL.iter().map(|part| key(part.as_str(), Text, "The field it goes to."));
    let of_part = Part::ALL.iter().map(|part| key(part.as_str(), rule(), "What it takes."));
    vec![
        key(
            "tracker",
            Text,
            "The tracker it is in: local, or jira.NAME, github.NAME, linear.NAME or redmine.NAME of one below those.",
        ),
        key("repository", Text, "For GitHub: the repository, owner/name."),
        key("team", Text, "For Linear: the key of the team, if it is not that of the project."),
        key(
            "identifier",
            Text,
            "For Redmine: the project's identifier, if it is not the key in small letters.",
        ),
        key(
            "type_labels",
            Table(labelled_types.into()),
            "Labels that types get on GitHub and in Linear: bug = \"bug\".",
        ),
        key(
            "type_names",
            Table(named_types.into()),
            "Jira's names of types, or trackers of Redmine: bug = \"Defect\".",
        ),
        key("part_fields", Table(own_fields.collect()), "Fields that parts go to, by name or id."),
        key(
            "values",
            Map(Box::new(Text)),
            "Values that fields of Jira or Redmine get in every issue, by name or id.",
        ),
        key("name", Text, "What people call it."),
        key("types", words(types().to_vec()), "The types it offers."),
        key("disabled", words(types().to_vec()), "Types that are switched off."),
        key("required", words(parts()), "The parts that must be written."),
        key(
            "required_for",
            Table(of_type.into()),
            "The parts that must be written for one type, beside these.",
        ),
        key("fields", words(parts()), "The parts it has a field for; empty means all."),
        key("schema", Table(of_part.collect()), "What a field takes; any text if not set."),
        key("links", texts(), "The kinds of links it knows: blocks, relates to; empty means any."),
        key("child_link", Word(ways()), "How stories are put under their epic."),
        key("hierarchy", words(ways()), "The ways it has to put one issue under another."),
        key("browse", texts(), "Who may see it: user:ana; empty means everybody."),
        key("create", texts(), "Who may create."),
        key("edit", texts(), "Who may change issues: it takes that to put a story under its epic."),
        key("link", texts(), "Who may link issues: it takes that to name one as a dependency."),
        key("archived", Flag, "Closed for new issues."),
        key("hidden", Flag, "There for nobody who comes through a conversation."),
    ]
}
