//! A model's request for more evidence about a list, and the list as its host reports it then
//! (docs/design/0023-model-picks.md).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ask::EvidenceKind;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::fingerprint::{EvidenceHashes, evidence_fingerprint};
use crate::data::option_set::OptionSet;
use crate::data::scope::Scope;
use crate::data::selection_trace::Signal;
use crate::data::set_option::SetOption;
use crate::data::view::{ModelPick, View};
use crate::selection::model_pick::{alias, call, current, hold, note, vetoed};
use crate::turn::{RoutedMessage, Turn};

/// Answers a model's request for more evidence: within the budgets, from the same list, and only what the
/// lane or the list's host knows.
pub(super) fn enrich(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    mut view: View,
    mut cycle: ModelPick,
    set: &OptionSet,
    needs: &[EvidenceKind],
) -> Decision {
    let policy = &turn.policy.selection;
    if cycle.looks >= policy.max_enrichment_steps || cycle.calls >= policy.max_llm_calls {
        turn.selection_trace().signals.push(Signal::BudgetOver);
        return vetoed(turn, said, view, &cycle, set, Reason::BudgetExhausted);
    }
    let own: Vec<EvidenceKind> = needs.iter().copied().filter(|need| of_scope(*need, set.scope)).collect();
    if own.is_empty() {
        return vetoed(turn, said, view, &cycle, set, Reason::ScopeMissing);
    }
    cycle.looks += 1;
    if set.refreshable {
        let effect = turn.effect(
            EffectBody::EvidenceFetch {
                set: set.id.clone(),
                scope: set.scope,
                scope_instance: set.scope_instance.clone(),
                wanted: own,
            },
            &[],
            None,
        );
        cycle.fetching = Some(effect.clone());
        let calls = cycle.calls;
        hold(turn, said, &view, effect, None, calls);
        note(turn, &cycle);
        let reason = cycle.reason;
        view.cycle = Some(cycle);
        turn.put_view(view);
        return Decision::new(Verdict::Deferred, reason);
    }
    again(turn, said, view, cycle, set, &set.clone(), None)
}

fn of_scope(need: EvidenceKind, scope: Scope) -> bool {
    match need {
        EvidenceKind::ChatActiveOptions | EvidenceKind::ChatRecoverableOptions => scope == Scope::Chat,
        EvidenceKind::ActiveWidgetItems => scope == Scope::Widget,
        EvidenceKind::ActiveDashboardItems => scope == Scope::Dashboard,
        EvidenceKind::ActiveWorkspaceItems => scope == Scope::Workspace,
        EvidenceKind::ScopeDisambiguationHint => true,
    }
}

/// Continues a cycle with the list's content as its host reports it.
pub(crate) fn fetched(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    user: &str,
    options: &[SetOption],
    focused: Option<&str>,
) -> Decision {
    let (view, cycle, set) = match current(turn, user) {
        Ok(current) => current,
        Err(decision) => return decision,
    };
    let most = turn.policy.selection.model.max_candidates;
    let snapshot = options.get(..options.len().min(most.max(cycle.candidates.len()))).unwrap_or(options);
    let now = |id: &String| snapshot.iter().find(|option| option.id == *id);
    if !cycle.candidates.iter().all(|id| now(id).is_some()) {
        return vetoed(turn, said, view, &cycle, &set, Reason::CandidatesChanged);
    }
    // The host may add details to the frozen options; it can neither add an option nor rename one.
    let mut options = set.options.to_vec();
    for option in &mut options {
        let Some(newer) = now(&option.id) else { continue };
        option.metadata.fill(&newer.metadata);
        option.sublabel = option.sublabel.take().or_else(|| newer.sublabel.clone());
        option.badge = option.badge.take().or_else(|| newer.badge.clone());
        for (name, value) in &newer.fields {
            option.fields.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let seen = OptionSet { options: options.into(), ..set.clone() };
    again(turn, said, view, cycle, &set, &seen, focused)
}

/// Calls the model again if the evidence changed; else lets the rules decide.
fn again(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    mut view: View,
    mut cycle: ModelPick,
    set: &OptionSet,
    seen: &OptionSet,
    focused: Option<&str>,
) -> Decision {
    cycle.fetching = None;
    let places: Vec<usize> =
        cycle.candidates.iter().filter_map(|id| seen.option(id)).map(|(at, _)| at).collect();
    let place = |id: &str| cycle.candidates.iter().position(|known| known == id).map(alias);
    let lines: Vec<String> =
        focused.and_then(place).map(|alias| format!("{alias} has the focus")).into_iter().collect();
    let excerpts: EvidenceHashes = lines.iter().map(ToString::to_string).collect();
    let after = evidence_fingerprint(seen, seen.scope, &places, &excerpts);
    turn.selection_trace().fingerprint_after = Some(after.0.clone());
    if after == cycle.before {
        turn.selection_trace().signals.push(Signal::Unchanged);
        return vetoed(turn, said, view, &cycle, set, Reason::NoNewEvidence);
    }
    let _ = call(turn, said, &view, &mut cycle, seen, lines);
    note(turn, &cycle);
    turn.selection_trace().signals.push(Signal::AskedAgain);
    let reason = cycle.reason;
    view.cycle = Some(cycle);
    turn.put_view(view);
    Decision::new(Verdict::Deferred, reason)
}
