//! Table of all metric families: the page of metrics shows each with its help, also before it has a value, and the board
//! and the alert rules in `deploy` name no others.

use self::Kind::{Counter, Gauge, Histogram};

/// Kind of a family, as Prometheus names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number that only grows while the process runs.
    Counter,
    /// A number that goes up and down.
    Gauge,
    /// Counts of durations.
    Histogram,
}

impl Kind {
    /// Returns the word of the text format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Counter => "counter",
            Gauge => "gauge",
            Histogram => "histogram",
        }
    }
}

/// Every family: name, kind, help.
pub const FAMILIES: [(&str, Kind, &str); 48] = [
    ("throughline_approval_decisions_total", Counter, "Decisions of approvers, by decision."),
    ("throughline_approval_refused_total", Counter, "Presses on approvals that were refused, by reason."),
    ("throughline_approvals", Gauge, "Approvals in the store that are pending."),
    ("throughline_build_info", Gauge, "Version and commit of the process."),
    ("throughline_clarifiers_total", Counter, "Turns that asked back, by reason."),
    ("throughline_commit_retries_total", Counter, "Commits that were not taken, by reason."),
    ("throughline_commit_seconds", Histogram, "Time of a turn's commit."),
    (
        "throughline_connections_evicted_total",
        Counter,
        "Connections that were closed to make room for others.",
    ),
    (
        "throughline_effects_far",
        Gauge,
        "Effects in the store whose next attempt is too far ahead: a clock was wrong.",
    ),
    ("throughline_effects_open", Gauge, "Effects in the store that are planned or attempted."),
    ("throughline_effects_total", Counter, "Effects that ended here, by class and outcome."),
    ("throughline_effects_uncertain", Gauge, "Effects in the store whose outcome nobody knows."),
    ("throughline_inbox_dead", Gauge, "Events in the store that were set aside."),
    ("throughline_inbox_dead_total", Counter, "Events that were set aside here."),
    ("throughline_inbox_duplicates_total", Counter, "Deliveries that were known already, by channel."),
    ("throughline_inbox_oldest_seconds", Gauge, "Time that the event has waited which waits longest."),
    ("throughline_inbox_refused_total", Counter, "Deliveries that were refused, by reason."),
    ("throughline_inbox_total", Counter, "Deliveries, by channel and outcome."),
    ("throughline_ingress_ack_seconds", Histogram, "Time until an event was acknowledged."),
    ("throughline_ingress_requests_total", Counter, "Requests with events, by channel, kind and status."),
    ("throughline_lane_queue_depth", Gauge, "Events in the store that wait for their turn."),
    ("throughline_lane_wait_seconds", Histogram, "Time that an event waited for its turn."),
    ("throughline_lanes", Gauge, "Lanes in the store."),
    ("throughline_lanes_failing", Gauge, "Lanes that fail again and again."),
    ("throughline_lease_lost_total", Counter, "Attempts that outlived their lease."),
    ("throughline_log_lines_lost_total", Counter, "Lines of the log that nobody took."),
    ("throughline_mail_attempts_total", Counter, "Attempts to send a mail, by outcome."),
    ("throughline_mail_waiting", Gauge, "Mails that wait for the mail server, by tenant."),
    ("throughline_model_out_of_pool_total", Counter, "Answers of models that were not among those offered."),
    ("throughline_model_requests_total", Counter, "Questions to models, by purpose and outcome."),
    ("throughline_model_seconds", Histogram, "Time of a question to a model."),
    ("throughline_model_tokens_total", Counter, "Tokens, by direction."),
    ("throughline_outbox_oldest_seconds", Gauge, "Time that the effect has been due which is due longest."),
    ("throughline_push_attempts_total", Counter, "Attempts to send a notification, by outcome."),
    ("throughline_push_waiting", Gauge, "Notifications that wait for a push service, by tenant."),
    ("throughline_read_back_total", Counter, "Looks for a message that may have arrived, by outcome."),
    (
        "throughline_requests_too_fast_total",
        Counter,
        "Requests that were refused because they came too fast.",
    ),
    ("throughline_selection_signals_total", Counter, "Signals of selections, by signal and scope."),
    (
        "throughline_selection_without_model_total",
        Counter,
        "Selections in which no model was asked, by reason.",
    ),
    (
        "throughline_signature_failures_total",
        Counter,
        "Requests that proved no sender, by channel and reason.",
    ),
    ("throughline_stale_presses_total", Counter, "Presses on what had changed meanwhile, by reason."),
    ("throughline_tampered_total", Counter, "Found bytes that are not those that were approved, by place."),
    ("throughline_turn_seconds", Histogram, "Time of a turn."),
    ("throughline_turns_total", Counter, "Turns, by the rung that decided and its reason."),
    ("throughline_vendor_429_total", Counter, "Answers of vendors that it was too fast, by vendor."),
    ("throughline_webhook_attempts_total", Counter, "Posts to webhooks, by webhook and outcome."),
    ("throughline_webhook_dead_total", Counter, "Events that a webhook was not told, by webhook."),
    (
        "throughline_webhook_lanes_waiting",
        Gauge,
        "Conversations whose events wait for a webhook, by webhook.",
    ),
];

/// Describes every family to the installed recorder.
pub(super) fn describe() {
    for (name, kind, help) in FAMILIES {
        match kind {
            Counter => metrics::describe_counter!(name, help),
            Gauge => metrics::describe_gauge!(name, help),
            Histogram => metrics::describe_histogram!(name, help),
        }
    }
}

/// Appends the families that have no value yet, so that whoever looks for one sees that it is only quiet.
pub(super) fn complete(mut page: String) -> String {
    for (name, kind, help) in FAMILIES {
        let shown = format!("# TYPE {name} ");
        if !page.contains(&shown) {
            page.push_str(&format!("# HELP {name} {help}\n{shown}{}\n\n", kind.as_str()));
        }
    }
    page
}
