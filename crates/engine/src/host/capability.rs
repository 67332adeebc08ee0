//! The host's agent as a capability: it takes in the answers to what the agent was handed.

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::handover::HostAnswer;
use crate::data::message::MessageKind;
use crate::data::owner::HOST;
use crate::host::posted;
use crate::selection::list_registry;
use crate::turn::Turn;
use crate::turn::capability::{Capability, Settled};
use throughline_messages as say;

pub(crate) struct Host;

impl Capability for Host {
    fn name(&self) -> &'static str {
        HOST
    }

    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        let answer = match settled.outcome {
            Outcome::Done { result: EffectResult::Handled(answer) } => Some(answer),
            _ => None,
        };
        let Some(at) = turn.head.handovers.iter().position(|open| open.effect == *settled.effect) else {
            return answer.map(|_| Decision::new(Verdict::Recorded, Reason::LateAnswer));
        };
        let open = turn.head.handovers.remove(at);
        turn.belongs_to(&open.task);
        Some(match answer {
            Some(answer) => answered(turn, answer),
            None => {
                turn.say(MessageKind::Notification, Some(&open.task), &say::host_silent(turn.language()));
                Decision::new(Verdict::Answered, Reason::HandoverUnanswered)
            }
        })
    }
}

fn answered(turn: &mut Turn<'_>, answer: &HostAnswer) -> Decision {
    let mut verdict = Verdict::Recorded;
    if let Some(said) = &answer.posted {
        posted::post(turn, said);
        verdict = if said.expected.is_some() { Verdict::Asked } else { Verdict::Answered };
    }
    if let Some(list) = &answer.options {
        let shown = list_registry::shown(turn, list);
        if matches!(shown.outcome, Verdict::Refused | Verdict::Ignored) {
            return shown;
        }
        verdict = Verdict::Shown;
    }
    Decision::new(verdict, Reason::HandoverAnswered)
}
