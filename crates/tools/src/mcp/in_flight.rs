//! Calls that are in flight on one connection, and the forms that its server wants filled in meanwhile.
//!
//! The form of an older server does not say which call it belongs to. So it waits until a single call is left: a call
//! whose server waits for a form cannot end, and every other one does. Until then no call begins. Where that tells
//! nothing, because several calls wait for forms or one of them was given up, all forms are put off, and the calls that
//! failed over it are made again, one at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ElicitResult, ElicitationAction};
use throughline_engine::data::fault::ToolFault;
use tokio::sync::Notify;

use super::handler::Form;

/// Texts of people that fill in a form, by field.
type Given = BTreeMap<String, String>;

/// Calls in flight on one connection.
#[derive(Clone, Default)]
pub(super) struct InFlight(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    calls: BTreeMap<u64, Call>,
    /// Number of the next call.
    next: u64,
    /// Forms that wait to be assigned.
    waiting: usize,
    /// Number of times that waiting forms were put off.
    put_off: u64,
    /// True if a call was given up: a form that comes may be of that one.
    given_up: bool,
    /// True if calls are made one at a time from now on.
    alone: bool,
}

#[derive(Default)]
struct Call {
    given: Option<Given>,
    asked: Asked,
}

/// Form that a call's server wanted filled in while it ran.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Asked {
    /// No form, or one that was filled in.
    #[default]
    Nothing,
    /// A form for people, or the reason they cannot be asked.
    Form(Result<Form, ToolFault>),
    /// A form that may have been this call's, or another's.
    Unclear,
}

/// Place of one call among those in flight; dropped when the call has ended.
pub(super) struct Place {
    flight: InFlight,
    id: u64,
    answered: bool,
}

impl InFlight {
    /// Returns true if no call is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.state().calls.is_empty()
    }

    /// Returns true if a call was given up.
    pub(super) fn has_given_up(&self) -> bool {
        self.state().given_up
    }

    /// Waits until a call may begin, and begins it, with the texts that fill in its form if it has been asked before.
    pub(super) async fn begin(&self, given: Option<Given>) -> Place {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.state();
                if state.waiting == 0 && (!state.alone || state.calls.is_empty()) {
                    let id = state.next;
                    state.next += 1;
                    state.calls.insert(id, Call { given, asked: Asked::Nothing });
                    return Place { flight: self.clone(), id, answered: false };
                }
            }
            changed.await;
        }
    }

    /// Answers a form of the server: with the known texts, or by putting it off. A person is asked after the call has
    /// ended; nothing is held open for it.
    pub(super) async fn answer(&self, form: Result<Form, ToolFault>) -> ElicitResult {
        let mut waits = Waiting::new(self);
        loop {
            let changed = self.0.changed.notified();
            if let Some(answer) = waits.answer(&form) {
                return answer;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Form that waits to be assigned to a call.
struct Waiting<'a> {
    flight: &'a InFlight,
    put_off: u64,
}

impl<'a> Waiting<'a> {
    fn new(flight: &'a InFlight) -> Self {
        let mut state = flight.state();
        state.waiting += 1;
        Self { flight, put_off: state.put_off }
    }

    /// Returns the answer once it is known whose form it is, or that nobody can know.
    fn answer(&mut self, form: &Result<Form, ToolFault>) -> Option<ElicitResult> {
        let mut state = self.flight.state();
        if state.put_off == self.put_off {
            if state.calls.len() == 1 && state.waiting == 1 && !state.given_up {
                return state.calls.values_mut().next().map(|call| call.answer(form));
            }
            if state.calls.len() > state.waiting && !state.given_up {
                return None;
            }
            state.put_off();
        }
        Some(cancel())
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.flight.state().waiting -= 1;
        self.flight.0.changed.notify_waiters();
    }
}

impl State {
    /// Puts off all waiting forms, because any of them may be of any call.
    fn put_off(&mut self) {
        self.put_off += 1;
        self.alone = true;
        self.calls.values_mut().for_each(|call| call.asked = Asked::Unclear);
    }
}

impl Call {
    fn answer(&mut self, form: &Result<Form, ToolFault>) -> ElicitResult {
        if let (Some(given), Ok(form)) = (self.given.take(), form)
            && let Ok(values) = form.filled(&given)
        {
            return ElicitResult::new(ElicitationAction::Accept).with_content(values);
        }
        self.asked = Asked::Form(form.clone());
        cancel()
    }
}

fn cancel() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Cancel)
}

impl Place {
    /// Ends a call that was answered, and returns the form that came meanwhile and was not filled in.
    pub(super) fn answered(mut self) -> Asked {
        self.answered = true;
        let call = self.flight.state().calls.remove(&self.id);
        call.map(|call| call.asked).unwrap_or_default()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        {
            let mut state = self.flight.state();
            state.calls.remove(&self.id);
            if !self.answered {
                state.given_up = true;
                if state.waiting > 0 {
                    state.put_off();
                }
            }
        }
        self.flight.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use serde_json::json;

    use super::*;

    fn form(field: &str) -> Result<Form, ToolFault> {
        let schema = json!({"properties": {field: {"type": "string"}}});
        Ok(Form { message: field.into(), schema })
    }

    fn begun(flight: &InFlight, given: Option<Given>) -> Place {
        flight.begin(given).now_or_never().expect("it may begin")
    }

    #[test]
    fn a_form_is_of_the_only_call() {
        let flight = InFlight::default();
        let call = begun(&flight, None);
        let answer = flight.answer(form("city")).now_or_never().unwrap();
        assert_eq!(answer.action, ElicitationAction::Cancel);
        assert_eq!(call.answered(), Asked::Form(form("city")));
        assert!(flight.is_idle());

        let given = Given::from([("city".into(), "Swansea".into())]);
        let call = begun(&flight, Some(given));
        let answer = flight.answer(form("city")).now_or_never().unwrap();
        assert_eq!(
            (answer.action, answer.content),
            (ElicitationAction::Accept, Some(json!({"city": "Swansea"})))
        );
        assert_eq!(call.answered(), Asked::Nothing);
    }

    /// Whichever of the calls asks, and in whichever order the others end, the form is assigned to the asking one.
    #[test]
    fn a_form_waits_for_the_others_to_end() {
        for asking in 0..3 {
            let flight = InFlight::default();
            let mut calls: Vec<Place> = (0..3).map(|_| begun(&flight, None)).collect();
            let mut answer = Box::pin(flight.answer(form("city")));
            assert!((&mut answer).now_or_never().is_none());
            let mut late = Box::pin(flight.begin(None));
            assert!((&mut late).now_or_never().is_none(), "no call begins while a form waits");
            let asks = calls.remove(asking);
            for call in calls {
                assert!((&mut answer).now_or_never().is_none());
                assert_eq!(call.answered(), Asked::Nothing);
            }
            assert_eq!(answer.now_or_never().unwrap().action, ElicitationAction::Cancel);
            assert!(late.now_or_never().is_some(), "the next call begins");
            assert_eq!(asks.answered(), Asked::Form(form("city")));
        }
    }

    #[test]
    fn forms_of_several_calls_are_put_off_and_calls_are_alone_from_then_on() {
        let flight = InFlight::default();
        let (one, two) = (begun(&flight, None), begun(&flight, None));
        let mut first = Box::pin(flight.answer(form("city")));
        assert!((&mut first).now_or_never().is_none());
        assert!(flight.answer(form("day")).now_or_never().is_some());
        assert!(first.now_or_never().is_some());
        assert_eq!((one.answered(), two.answered()), (Asked::Unclear, Asked::Unclear));
        let alone = begun(&flight, None);
        let mut next = Box::pin(flight.begin(None));
        assert!((&mut next).now_or_never().is_none());
        assert_eq!(alone.answered(), Asked::Nothing);
        assert!(next.now_or_never().is_some());
    }

    #[test]
    fn a_form_of_a_call_that_was_given_up_is_of_no_other_call() {
        let flight = InFlight::default();
        let (one, two) = (begun(&flight, None), begun(&flight, None));
        let mut answer = Box::pin(flight.answer(form("city")));
        assert!((&mut answer).now_or_never().is_none());
        drop(one);
        assert_eq!(answer.now_or_never().unwrap().action, ElicitationAction::Cancel);
        assert_eq!(two.answered(), Asked::Unclear);

        let flight = InFlight::default();
        let (one, two) = (begun(&flight, None), begun(&flight, None));
        drop(one);
        assert!(flight.has_given_up());
        assert!(flight.answer(form("city")).now_or_never().is_some(), "it came late");
        assert_eq!(two.answered(), Asked::Unclear);
    }
}
