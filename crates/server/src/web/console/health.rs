//! Health of the installation in one page: what `/readyz` tries, what the store counts, and what this process counted since
//! its start. What only a question over the network tells is asked on the pages of its own, and by `throughline doctor`.

use axum::response::Response;
use serde::Serialize;
use throughline_store::Counts;

use super::formatting::length;
use super::operator::{Equivalents, Operator, Section};
use crate::app::App;
use crate::codes::{self, Code};
use crate::metrics::sums;
use crate::problem::Problem;
use crate::routes::{health, webhooks};
use crate::stuck::stuck;
use crate::wire;

#[derive(Serialize)]
struct HealthPage {
    rows: Vec<Row>,
    /// Number of rows that are not as they should be.
    troubles: usize,
}

/// Part of the installation, and how it is.
#[derive(Default, Serialize)]
struct Row {
    what: &'static str,
    /// Class of its mark, and the word in it.
    tone: &'static str,
    state: &'static str,
    found: String,
    /// Code of the trouble, and what to do about it.
    code: Option<String>,
    fix: Option<&'static str>,
    /// Page with more about it.
    more: Option<(&'static str, &'static str)>,
}

impl Row {
    fn well(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, tone: "good", state: "ok", found: found.into(), ..Self::default() }
    }

    fn off(what: &'static str, found: &str) -> Self {
        Self { what, tone: "over", state: "off", found: found.into(), ..Self::default() }
    }

    /// Something that somebody should look at, and how; nothing stops because of it.
    fn look(what: &'static str, found: impl Into<String>, fix: &'static str) -> Self {
        Self { what, tone: "doubt", state: "look", found: found.into(), fix: Some(fix), ..Self::default() }
    }

    fn trouble(what: &'static str, code: &'static Code, found: impl Into<String>) -> Self {
        let (code, fix) = (Some(code.id()), Some(code.fix));
        Self { what, tone: "bad", state: "broken", found: found.into(), code, fix, more: None }
    }

    fn problem(what: &'static str, problem: &Problem) -> Self {
        Self::trouble(what, problem.code(), problem.detail())
    }

    fn with(self, label: &'static str, href: &'static str) -> Self {
        Self { more: Some((label, href)), ..self }
    }

    fn is_trouble(&self) -> bool {
        matches!(self.tone, "bad" | "doubt")
    }
}

/// `GET /console/health`.
pub(super) async fn show(operator: Operator) -> Result<Response, Problem> {
    operator.enter(Section::Health)?;
    let app = &operator.app;
    let mut rows = vec![process(app), store(app).await];
    match app.store().counts().await {
        Ok(counts) => rows.extend(counted(&counts, app.runtime().wakes().failing())),
        Err(error) => rows.push(Row::problem("Counts of the store", &error.into())),
    }
    rows.extend(channels(app));
    let page = app.metrics.render();
    rows.extend([trackers(&page), models(app, &page), mail(app, &operator, &page)]);
    let webhooks = webhooks::webhooks(app, &operator.caller).await?;
    rows.push(endpoints(&webhooks));
    let troubles = rows.iter().filter(|row| row.is_trouble()).count();
    let twin = Equivalents::new("throughline doctor", "GET /readyz").acts("", "GET /metrics");
    operator.page(Section::Health, "console/health.html", twin, &HealthPage { rows, troubles }).await
}

fn process(app: &App) -> Row {
    const WHAT: &str = "This process";
    if app.draining() {
        return Row::trouble(WHAT, &codes::DRAINING, "it is shutting down");
    }
    let commit = crate::commit::commit();
    Row::well(WHAT, format!("takes requests, version {} ({commit})", env!("CARGO_PKG_VERSION")))
}

async fn store(app: &App) -> Row {
    const WHAT: &str = "Store and its disk";
    match app.store().writable().await {
        Ok(()) => Row::well(WHAT, format!("{} takes writes", app.config().store.kind())),
        Err(error) => Row::problem(WHAT, &error.into()),
    }
}

/// Returns what the counts of the store say. They are of all tenants.
fn counted(counts: &Counts, failing: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let stuck = stuck(counts, failing);
    let is_stuck = |code: &Code| stuck.iter().any(|(known, _)| *known == code);
    if !is_stuck(&codes::EVENTS_WAIT) {
        let oldest = length(counts.oldest_waiting);
        let found = match counts.waiting {
            0 => "no event waits for its turn".into(),
            1 => format!("one event waits for its turn, for {oldest}"),
            waiting => format!("{waiting} events wait for their turns, the oldest for {oldest}"),
        };
        rows.push(Row::well("Events", found));
    }
    let due = match counts.oldest_due {
        0 => "none is overdue".into(),
        oldest => format!("the oldest is due for {}", length(oldest)),
    };
    rows.push(
        Row::well("Effects", format!("{} on their way, {due}", counts.open_effects))
            .with("Effects", "/console/effects"),
    );
    if !is_stuck(&codes::LANES_FAIL) {
        rows.push(Row::well("Lanes", format!("none of {} fails again and again", counts.lanes)));
    }
    rows.extend(stuck.into_iter().map(|(code, found)| Row::trouble(part_of(code), code, found)));
    if counts.uncertain > 0 {
        let verb = if counts.uncertain == 1 { "waits" } else { "wait" };
        let found = format!("{} {verb} for an answer of a person", counts.uncertain);
        let fix = "Look whether it happened, and say so: it exists, it is to be done again, or nobody wants it any more.";
        rows.push(
            Row::look("Uncertain effects", found, fix).with("Answer", "/console/effects?state=uncertain"),
        );
    }
    if counts.dead > 0 {
        let verb = if counts.dead == 1 { "was" } else { "were" };
        let found = format!("{} {verb} set aside, because they could not be handled", counts.dead);
        rows.push(Row::look("Events set aside", found, "The log says why, with the lane of each."));
    }
    rows
}

fn part_of(code: &Code) -> &'static str {
    match code {
        code if *code == codes::EVENTS_WAIT => "Events",
        code if *code == codes::EFFECTS_FAR => "Effects",
        _ => "Lanes",
    }
}

fn channels(app: &App) -> Vec<Row> {
    let deaf = health::deaf(app);
    let instance = &app.instance;
    let channel = |what: &'static str, there: bool| match deaf.iter().find(|(name, _)| *name == what) {
        Some((_, problem)) => Row::problem(what, problem),
        None if there => Row::well(what, "its messages and presses are taken"),
        None => Row::off(what, "not configured"),
    };
    vec![
        channel(health::TELEGRAM, instance.telegram.is_some()),
        channel(health::SLACK, instance.slack.is_some()),
    ]
}

/// Adds up a family by its outcomes: `12 done, 1 failed`.
fn outcomes<'o>(all: impl IntoIterator<Item = (&'o str, u64)>) -> String {
    let told: Vec<String> = all.into_iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
    if told.is_empty() { "nothing".into() } else { told.join(", ") }
}

fn trackers(page: &str) -> Row {
    let class = |labels: &str| labels.contains("class=\"tracker.");
    let since = sums(page, "throughline_effects_total", "outcome", class);
    let told = outcomes(since.iter().map(|(outcome, n)| (outcome.as_str(), *n)));
    let found = format!("since this process started: {told}");
    Row::well("Trackers", found).with("Ask each", "/console/trackers")
}

fn models(app: &App, page: &str) -> Row {
    const WHAT: &str = "Models";
    if app.config().models.by_purpose.is_empty() {
        return Row::off(WHAT, "no model is configured; rules decide, and people are asked");
    }
    let since = sums(page, "throughline_model_requests_total", "outcome", |_| true);
    let told = outcomes(since.iter().map(|(outcome, n)| (outcome.as_str(), *n)));
    let of = |outcome: &str| since.get(outcome).copied().unwrap_or_default();
    let found = format!("since this process started: {told}");
    let fix = "See with `throughline doctor model` what each answers; until then people are asked instead.";
    let fails = of("failed") > of("answered");
    let row = if fails { Row::look(WHAT, found, fix) } else { Row::well(WHAT, found) };
    row.with("What they cost", "/console")
}

fn mail(app: &App, operator: &Operator, page: &str) -> Row {
    const WHAT: &str = "Mail";
    if app.instance.mail.is_none() {
        return Row::off(WHAT, "not configured");
    }
    let tenant = format!("tenant=\"{}\"", operator.tenant());
    let waiting: u64 = sums(page, "throughline_mail_waiting", "tenant", |labels| labels.contains(&tenant))
        .into_values()
        .sum();
    let since = sums(page, "throughline_mail_attempts_total", "outcome", |_| true);
    let told = outcomes(since.iter().map(|(outcome, n)| (outcome.as_str(), *n)));
    let found = format!("{waiting} wait; since this process started: {told}");
    match waiting > 0 && since.contains_key("unreachable") {
        true => Row::trouble(WHAT, &codes::MAIL_UNREACHABLE, found),
        false => Row::well(WHAT, found),
    }
}

fn endpoints(webhooks: &[wire::Webhook]) -> Row {
    const WHAT: &str = "Webhooks";
    let stopped = webhooks.iter().filter(|webhook| webhook.state != "running").count();
    let waiting: usize = webhooks.iter().map(|webhook| webhook.waiting).sum();
    let row = match (webhooks.len(), stopped, waiting) {
        (0, ..) => return Row::off(WHAT, "none is configured"),
        (_, 0, 0) => Row::well(WHAT, "each takes what it is sent"),
        _ => {
            let of = if waiting == 1 { "conversation waits" } else { "conversations wait" };
            let found = format!("{stopped} disabled, {waiting} {of} for another attempt");
            Row::look(WHAT, found, "See the failure of each, and the log of its endpoint.")
        }
    };
    row.with("Webhooks", "/console/webhooks")
}

#[cfg(test)]
mod tests {
    use throughline_engine::Timestamp;

    use super::*;

    #[test]
    fn what_is_stuck_has_its_code_and_what_to_do() {
        let quiet = Counts::default();
        let told = |counts: Counts| -> Vec<(&'static str, &'static str, Option<String>)> {
            counted(&counts, 0).into_iter().map(|row| (row.what, row.state, row.code)).collect()
        };
        let well = [("Events", "ok", None), ("Effects", "ok", None), ("Lanes", "ok", None)];
        assert_eq!(told(quiet), well);
        let stuck = Counts { oldest_waiting: Timestamp::HOUR, waiting: 3, failing_lanes: 1, ..quiet };
        let code = |code: &Code| Some(code.id());
        assert_eq!(
            told(stuck),
            [
                ("Effects", "ok", None),
                ("Events", "broken", code(&codes::EVENTS_WAIT)),
                ("Lanes", "broken", code(&codes::LANES_FAIL))
            ]
        );
        let doubt = told(Counts { uncertain: 1, dead: 1, far_effects: 2, ..quiet });
        assert_eq!(doubt[3], ("Effects", "broken", code(&codes::EFFECTS_FAR)));
        assert_eq!(doubt[4..], [("Uncertain effects", "look", None), ("Events set aside", "look", None)]);
    }
}
