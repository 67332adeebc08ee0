//! Spans of the work, for an exporter that somebody configures: every name is in this file
//! (`docs/design/0084-spans-of-turns.md`).
//!
//! A span holds names, codes and ids that are hashes, never what people or models wrote. Without an exporter none is
//! made. What one act leads to later, in another task, continues its trace: a turn leads to the attempts at its effects,
//! and an attempt to the turn on its outcome. [`Causes`] remembers the acts until then.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};
use throughline_engine::data::ask::Ask;
use throughline_engine::data::call::{Call, Job};
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::{Event, EventKind, LaneKey, Step};
use throughline_models::Spent;
use throughline_store::{EffectState, StoredEffect};
use tracing::field::Empty;
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Target of every span: an exporter takes these and nothing else, and the log leaves them out.
pub const TARGET: &str = "throughline::spans";

/// Acts that are remembered until what they lead to begins. Of more, the oldest are forgotten.
const REMEMBERED: usize = 4_096;

/// Trace of an act, by the name of what it leads to: a delivery key or an effect's id.
#[derive(Default)]
pub(crate) struct Causes(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    acts: HashMap<String, Context>,
    /// The names, oldest first.
    order: VecDeque<String>,
}

impl Causes {
    /// Remembers that the current span leads to `name`.
    pub(crate) fn leads_to(&self, name: &str) {
        let span = Span::current();
        if !on() || span.is_none() {
            return;
        }
        if let Some(act) = remote(&span.context()) {
            self.remember(name, act);
        }
    }

    fn remember(&self, name: &str, act: Context) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.acts.insert(name.to_owned(), act).is_none() {
            known.order.push_back(name.to_owned());
        }
        while known.order.len() > REMEMBERED {
            let oldest = known.order.pop_front();
            oldest.and_then(|name| known.acts.remove(&name));
        }
    }

    /// Makes a span continue the act that led to `name`, if it is remembered.
    fn continue_from(&self, span: Span, name: &str) -> Span {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).acts.get(name).cloned();
        if let Some(act) = known {
            // Without an exporter's layer there is no trace to continue.
            let _ = span.set_parent(act);
        }
        span
    }

    /// Makes the span of a turn on an event with this delivery key.
    pub(crate) fn turn(&self, lane: &LaneKey, event: &Event, key: &str) -> Span {
        if !on() {
            return Span::none();
        }
        let span = tracing::info_span!(
            target: TARGET, "throughline.turn",
            throughline.lane = %lane.id(),
            throughline.channel = lane.channel,
            throughline.event.kind = event.kind.name(),
            throughline.turn = Empty,
            throughline.rung = Empty,
            throughline.reason = Empty,
            throughline.scope = Empty,
            throughline.candidates = Empty,
            otel.status_code = Empty,
        );
        self.continue_from(span, key)
    }

    /// Makes the span of an attempt at an effect.
    pub(crate) fn effect(&self, effect: &StoredEffect) -> Span {
        if !on() {
            return Span::none();
        }
        let span = tracing::info_span!(
            target: TARGET, "throughline.effect",
            throughline.lane = %effect.lane.id(),
            throughline.channel = effect.lane.channel,
            throughline.effect = effect.row.id.as_str(),
            throughline.class = effect.row.class.as_str(),
            throughline.planned_by = effect.turn.as_str(),
            throughline.attempt = effect.attempts + 1,
            throughline.state = Empty,
            otel.status_code = Empty,
        );
        self.continue_from(span, effect.row.id.as_str())
    }
}

/// Returns true if somebody takes spans.
fn on() -> bool {
    tracing::enabled!(target: TARGET, Level::INFO)
}

/// Returns the trace of a span without the span itself, which would stay open as long as it is remembered.
fn remote(context: &Context) -> Option<Context> {
    let of = context.span().span_context().clone();
    of.is_valid().then(|| Context::new().with_remote_span_context(of))
}

/// Makes the span of a request with an event. It continues the trace that its `traceparent` header names.
#[must_use]
pub fn event_request(traceparent: Option<&str>) -> Span {
    let span = tracing::info_span!(target: TARGET, "throughline.request", otel.kind = "server");
    if let Some(caller) = traceparent.and_then(parse_traceparent) {
        let _ = span.set_parent(Context::new().with_remote_span_context(caller));
    }
    span
}

/// Reads a header of W3C Trace Context. Later versions may append fields, which are ignored.
fn parse_traceparent(text: &str) -> Option<SpanContext> {
    let mut parts = text.trim().split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let hex = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let whole = hex(version, 2) && hex(trace, 32) && hex(span, 16) && hex(flags, 2);
    if !whole || version == "ff" || (version == "00" && parts.next().is_some()) {
        return None;
    }
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let context = SpanContext::new(trace, span, flags, true, TraceState::default());
    context.is_valid().then_some(context)
}

/// Makes the span of an accepted delivery.
pub(crate) fn intake(lane: &LaneKey, kind: &EventKind) -> Span {
    if !on() {
        return Span::none();
    }
    tracing::info_span!(
        target: TARGET, "throughline.intake",
        throughline.lane = %lane.id(),
        throughline.channel = lane.channel,
        throughline.event.kind = kind.name(),
        throughline.outcome = Empty,
    )
}

/// Makes the span of a commit.
pub(crate) fn commit() -> Span {
    tracing::info_span!(target: TARGET, "throughline.commit")
}

/// Notes the outcome of a delivery on its span.
pub(crate) fn accepted(outcome: &'static str) {
    Span::current().record("throughline.outcome", outcome);
}

/// Notes a committed turn on its span.
pub(crate) fn decided(turn: &str, step: &Step) {
    let span = Span::current();
    if span.is_none() {
        return;
    }
    span.record("throughline.turn", turn);
    span.record("throughline.rung", step.decision.rung.number());
    span.record("throughline.reason", step.decision.reason.code());
    if let Some(selection) = &step.trace.selection {
        span.record("throughline.candidates", selection.candidates);
        if let Some(scope) = selection.scope {
            span.record("throughline.scope", scope.as_str());
        }
    }
}

/// Notes what became of an attempt on its effect's span: the state, or `planned` if it will be tried again.
pub(crate) fn settled(state: EffectState) {
    let span = Span::current();
    let word = match state {
        EffectState::Planned => "planned",
        EffectState::Attempted => "attempted",
        EffectState::Done => "done",
        EffectState::Failed => "failed",
        EffectState::Uncertain => "uncertain",
        EffectState::Cancelled => "cancelled",
    };
    span.record("throughline.state", word);
    if matches!(state, EffectState::Failed | EffectState::Uncertain) {
        span.record("otel.status_code", "ERROR");
    }
}

/// Makes the span of a request to whoever performs an effect; none where nobody else does.
pub(crate) fn request(body: &EffectBody) -> Span {
    if !on() {
        return Span::none();
    }
    match body {
        EffectBody::ModelAsk(ask) => model(ask),
        EffectBody::ToolCall(call) | EffectBody::AgentDelegate(call) => worker(call),
        EffectBody::TrackerCheck { target, .. }
        | EffectBody::TrackerFind { target, .. }
        | EffectBody::TrackerSeek { target, .. }
        | EffectBody::TrackerUpdate { target, .. }
        | EffectBody::TrackerCreate { target, .. } => tracker(body.class().as_str(), &target.tracker),
        _ => Span::none(),
    }
}

/// Makes the span of a message on its way to a channel.
pub(crate) fn send(channel: &str) -> Span {
    tracing::info_span!(
        target: TARGET, "throughline.send",
        otel.kind = "client",
        throughline.channel = channel,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

/// Makes the span of a request to a tracker.
pub(crate) fn tracker(class: &str, tracker: &str) -> Span {
    tracing::info_span!(
        target: TARGET, "throughline.tracker",
        otel.name = class,
        otel.kind = "client",
        throughline.class = class,
        throughline.tracker = tracker,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

fn model(ask: &Ask) -> Span {
    tracing::info_span!(
        target: TARGET, "throughline.model",
        otel.name = "chat",
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        throughline.purpose = ask.purpose().as_str(),
        gen_ai.provider.name = Empty,
        gen_ai.request.model = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

fn worker(call: &Call) -> Span {
    let (operation, name) = match &call.job {
        Job::Agent { name } => ("invoke_agent", name.as_str()),
        Job::Tool { name, .. } => ("execute_tool", name.as_str()),
        _ => ("execute_tool", ""),
    };
    let span = tracing::info_span!(
        target: TARGET, "throughline.call",
        otel.name = format!("{operation} {name}").trim_end(),
        otel.kind = "client",
        gen_ai.operation.name = operation,
        gen_ai.tool.name = Empty,
        gen_ai.agent.name = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    );
    let field = if operation == "invoke_agent" { "gen_ai.agent.name" } else { "gen_ai.tool.name" };
    span.record(field, name);
    span
}

/// Notes on the current span which model answered and what it took.
pub(crate) fn answered(spent: &Spent) {
    let (span, Some(call)) = (Span::current(), spent.call()) else { return };
    // The bridge takes the field `otel.name` only before a span begins.
    span.context().span().update_name(format!("chat {}", call.model));
    span.record("gen_ai.provider.name", call.provider);
    span.record("gen_ai.request.model", call.model.as_str());
    span.record("gen_ai.usage.input_tokens", call.input);
    span.record("gen_ai.usage.output_tokens", call.output);
}

/// Notes on a request's span how it failed, in a word.
pub(crate) fn ended<T>(span: &Span, attempt: &Attempt<T>) {
    let kind = match attempt {
        Attempt::Applied(_) => return,
        Attempt::NotApplied { .. } => "not_applied",
        Attempt::Rejected { .. } => "rejected",
        Attempt::Unknown { .. } => "unknown",
    };
    span.record("error.type", kind);
    span.record("otel.status_code", "ERROR");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_as_the_recommendation_says() {
        const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
        const SPAN: &str = "00f067aa0ba902b7";
        let of = |text: &str| parse_traceparent(text).map(|read| (read.trace_id(), read.is_sampled()));
        let trace = TraceId::from_hex(TRACE).unwrap();
        assert_eq!(of(&format!("00-{TRACE}-{SPAN}-01")), Some((trace, true)));
        assert_eq!(of(&format!("00-{TRACE}-{SPAN}-00")), Some((trace, false)));
        assert_eq!(of(&format!("cc-{TRACE}-{SPAN}-01-later")), Some((trace, true)));
        for bad in [
            String::new(),
            "00".into(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}-{SPAN}-0é"),
            format!("00-{SPAN}-{TRACE}-01"),
        ] {
            assert_eq!(of(&bad), None, "{bad}");
        }
    }

    #[test]
    fn the_oldest_acts_are_forgotten() {
        let causes = Causes::default();
        let act = Context::new();
        for n in 0..REMEMBERED + 2 {
            causes.remember(&n.to_string(), act.clone());
        }
        let known = causes.0.lock().unwrap();
        assert_eq!((known.acts.len(), known.order.len()), (REMEMBERED, REMEMBERED));
        assert!(!known.acts.contains_key("1") && known.acts.contains_key("2"));
    }
}
