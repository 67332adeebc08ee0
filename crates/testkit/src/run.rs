//! Runs a scenario against a driver: resolves names, delivers, lets the world settle, compares.

mod option;

use std::collections::BTreeSet;
use std::convert::Infallible;

use throughline_engine::data::action::Action;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::rung::Rung;
use throughline_engine::data::step_input::{Addressing, Paused};
use throughline_engine::data::task::TaskReported;
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{Reason, Timestamp, Verdict};

use crate::compare::{Observation, compare};
use crate::driver::{Delivery, Driver, DriverError, Settling, TurnSeen};
use crate::faults::{Plan, TurnFaults};
use crate::model::{Act, Expectation, MAIN, MessageAct, PressAct, RequestApproval, Scenario, Turn, When};
use crate::report::{Failure, Report};
use crate::seed;
use crate::transcript::Transcript;
use crate::update::observed;

/// Runs a scenario as it is written.
pub fn run(scenario: &Scenario, driver: &mut dyn Driver) -> Report {
    play(scenario, driver, None, &[])
}

/// Runs a scenario as it is written, then once per seed with faults, and returns a report of each run. A scenario
/// that fails without faults is not run with them.
pub fn run_with_faults(scenario: &Scenario, driver: &mut dyn Driver, seeds: &[u64]) -> Vec<Report> {
    let plain = run(scenario, driver);
    let clocks = plain.clocks.clone();
    let mut reports = vec![plain];
    if reports[0].passed() {
        let points = driver.fail_points().to_vec();
        for &seed in seeds {
            reports.push(play(scenario, driver, Some(Plan::new(scenario, seed, &points)), &clocks));
        }
    }
    reports
}

fn play(scenario: &Scenario, driver: &mut dyn Driver, plan: Option<Plan>, clocks: &[Timestamp]) -> Report {
    let mut report = Report::new(scenario, plan.as_ref().map(|plan| plan.seed));
    for (line, what) in crate::supported::lacks(scenario) {
        report.failures.push(Failure::of_scenario(line, &DriverError::unsupported(&what)));
    }
    if !report.failures.is_empty() {
        return report;
    }
    let begun = seed::world(scenario).and_then(|(world, names)| driver.begin(&world).map(|()| names));
    let mut runner = match begun {
        Ok(names) => Runner {
            scenario,
            driver,
            transcript: Transcript::new(&names),
            lanes: scenario.given.lanes.keys().cloned().chain([MAIN.into()]).collect(),
            delivered: vec![Vec::new(); scenario.turns.len()],
        },
        Err(error) => {
            report.failures.push(Failure::of_scenario(0, &error));
            return report;
        }
    };
    let given = runner.note(&TurnSeen::default(), None).and_then(|()| runner.show_given());
    if let Err(error) = given {
        report.failures.push(Failure::of_scenario(0, &error));
        return report;
    }
    let order: Vec<usize> =
        plan.as_ref().map_or_else(|| (0..scenario.turns.len()).collect(), |plan| plan.order.clone());
    for n in order {
        let turn = &scenario.turns[n];
        let faults = plan.as_ref().and_then(|plan| plan.turns.get(n));
        let failure = match runner.turn(n, turn, faults, clocks.get(n).copied()) {
            Ok(played) => {
                let observation = played.observation(turn, &runner.transcript, faults.is_some());
                report.kills += usize::from(played.seen.killed.is_some());
                report.observed[n] = observed(&observation, &turn.act);
                report.clocks.push(runner.driver.now());
                let wrong = compare(turn.expect.as_deref().unwrap_or_default(), &observation);
                (!wrong.is_empty()).then(|| Failure::of_turn(n, turn, wrong, &observation))
            }
            Err(error) => Some(Failure::broken(n, turn, &error)),
        };
        if let Some(mut failure) = failure {
            failure.faults = plan.as_ref().map(|plan| plan.describe(n)).unwrap_or_default();
            report.failures.push(failure);
            break;
        }
    }
    // The first failure explains what follows from it, but a broken invariant is reported in any case.
    for checker in &scenario.always {
        if let Err(what) = runner.driver.check(*checker) {
            report.failures.push(Failure::of_checker(*checker, what));
        }
    }
    report
}

struct Runner<'s, 'd> {
    scenario: &'s Scenario,
    driver: &'d mut dyn Driver,
    transcript: Transcript,
    lanes: BTreeSet<String>,
    delivered: Vec<Vec<Delivery>>,
}

/// The result of one turn.
struct Played {
    seen: TurnSeen,
    own: Vec<String>,
    before: Lane,
    after: Lane,
    facts: Vec<(FactKey, Fact)>,
    transcript_before: Transcript,
}

impl Runner<'_, '_> {
    fn turn(
        &mut self,
        n: usize,
        turn: &Turn,
        faults: Option<&TurnFaults>,
        clock: Option<Timestamp>,
    ) -> Result<Played, DriverError> {
        if let Some(how) = faults.and_then(|faults| faults.before) {
            let seen = self.driver.restart(how)?;
            self.note(&seen, None)?;
        }
        self.lanes.insert(turn.act.lane().into());
        let before = self.driver.lane(turn.act.lane())?;
        let transcript_before = self.transcript.clone();
        let own = self.deliveries(n, turn, &before)?;
        if let Act::ShowList(shows) = &turn.act {
            self.shown(&shows.lane, turn.name.as_deref(), &shows.shown)?;
        }
        self.delivered[n].clone_from(&own);
        let seen = match &turn.act {
            Act::Advance(span) => {
                // Faults take time of their own; the next turn happens at the time it would have without them.
                let by = clock.map_or(*span, |clock| clock.since(self.driver.now()).max(0));
                self.driver.advance(by)?
            }
            Act::Restart(how) => self.driver.restart(*how)?,
            Act::Erase(what) => {
                if let Some(point) = faults.and_then(|faults| faults.kill.as_deref()) {
                    self.driver.arm_harmless(point)?;
                }
                self.driver.erase(what)?
            }
            Act::Settle { effect, lane, outcome, text } => self.driver.settle_effect(&Settling {
                lane: lane.clone(),
                effect: effect.clone(),
                outcome: outcome.clone(),
                text: text.clone(),
            })?,
            Act::Effects(switch) => {
                let since = self.driver.now();
                let paused = |pause: &crate::model::Pause| Paused {
                    by: pause.by.clone(),
                    since,
                    everything: pause.everything,
                };
                self.driver.pause(switch.as_ref().map(paused))?
            }
            _ => self.deliver(&own, faults)?,
        };
        self.note(&seen, Some((turn.name.as_deref(), turn.act.lane())))?;
        if let Some(how) = faults.and_then(|faults| faults.after) {
            let later = self.driver.restart(how)?;
            self.note(&later, None)?;
        }
        let after = self.driver.lane(turn.act.lane())?;
        let own = own.into_iter().map(|delivery| delivery.key).collect();
        let asks = turn.expect.iter().flatten().any(|one| matches!(one, Expectation::Facts(_)));
        let facts = if asks { self.driver.facts(turn.act.lane())? } else { Vec::new() };
        Ok(Played { seen, own, before, after, facts, transcript_before })
    }

    fn deliver(&mut self, own: &[Delivery], faults: Option<&TurnFaults>) -> Result<TurnSeen, DriverError> {
        let mut batch: Vec<Delivery> = Vec::new();
        if let Some(earlier) = faults.and_then(|faults| faults.late) {
            batch.extend(self.delivered[earlier].first().cloned());
        }
        batch.extend(own.iter().cloned());
        if faults.is_some_and(|faults| faults.duplicate) {
            batch.extend(own.first().cloned());
        }
        if let Some(point) = faults.and_then(|faults| faults.kill.as_deref()) {
            self.driver.arm_harmless(point)?;
        }
        self.driver.deliver(&batch)
    }

    /// Adds what was seen to the transcript, and names the turn.
    fn note(&mut self, seen: &TurnSeen, named: Option<(Option<&str>, &str)>) -> Result<(), DriverError> {
        let mut known = None;
        for name in self.lanes.clone() {
            let lane = self.driver.lane(&name)?;
            // The cards are those of all lanes, so they are added with the first lane.
            let first = known.is_none();
            let empty = TurnSeen::default();
            let before = self.transcript.note(&name, &lane, if first { seen } else { &empty });
            known.get_or_insert(before);
        }
        if let (Some(known), Some((Some(name), lane))) = (known, named) {
            self.transcript.name(name, lane, known, seen);
        }
        Ok(())
    }

    fn moment(&self, when: When) -> Timestamp {
        match when {
            When::At(at) => at,
            When::In(span) => self.driver.now().plus(span),
        }
    }

    /// Returns the deliveries of an act with all names resolved; empty for an act that delivers nothing.
    fn deliveries(&self, n: usize, turn: &Turn, before: &Lane) -> Result<Vec<Delivery>, DriverError> {
        let lane = turn.act.lane().to_string();
        let key = |press: u32| {
            if press == 0 { format!("turn-{}", n + 1) } else { format!("turn-{}.{press}", n + 1) }
        };
        let actor = turn.act.user().unwrap_or_default().to_string();
        let kinds = match &turn.act {
            Act::Message(says) => vec![self.says(says, n)?],
            Act::Press(press) => self.presses(press)?,
            Act::Command { text, .. } => {
                let text = text.trim_start();
                let text = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim().into();
                vec![EventKind::Command { text }]
            }
            Act::Form { fields, card, lane, item, button, .. } => {
                let named = button.as_deref().and_then(Action::parse);
                let actions: &[Action] = match (&named, item) {
                    (Some(action), _) => core::slice::from_ref(action),
                    (None, Some(_)) => &[Action::EditStory],
                    (None, None) => &[Action::Edit, Action::Adopt],
                };
                let (press, _) = self.transcript.button(lane, card, item.as_deref(), actions)?;
                vec![EventKind::FormSubmitted { press, values: fields.clone() }]
            }
            Act::HostPost(says) => {
                let Ok(posted) = says.posted(|wait| Ok::<_, Infallible>(self.moment(When::In(wait))));
                vec![EventKind::AssistantPosted(posted)]
            }
            Act::RequestApproval(RequestApproval { act, expires, .. }) => {
                let expires = expires.map(|when| self.moment(when));
                vec![EventKind::ApprovalRequested(HostAct { expires, ..act.clone() })]
            }
            Act::TaskReport(report) => vec![EventKind::TaskReported(TaskReported {
                task: report.task.as_str().into(),
                status: report.status,
                at: report.at.map(|when| self.moment(when)),
                intent: report.intent.clone(),
                reason: report.reason.clone(),
                result: report.result.clone(),
            })],
            Act::StateFact(states) => vec![EventKind::FactStated(states.fact.clone())],
            Act::Notify { from, text, .. } => vec![EventKind::AssistantPosted(AssistantPosted {
                kind: MessageKind::Notification,
                task: None,
                text: if from.is_empty() { text.clone() } else { format!("{from}: {text}") },
                expected: None,
                asked_of: None,
                expires: None,
                message_id: None,
            })],
            act => self.option_event(act, before)?.into_iter().collect(),
        };
        let repeats = if let Act::Press(press) = &turn.act { press.deliveries } else { 1 };
        let mut all = Vec::new();
        for (press, kind) in (0..).zip(kinds) {
            let delivery = Delivery {
                key: key(press),
                lane: lane.clone(),
                actor: actor.clone(),
                addressing: self.addressing(&turn.act),
                kind,
            };
            all.extend((0..repeats).map(|_| delivery.clone()));
        }
        Ok(all)
    }

    fn says(&self, says: &MessageAct, n: usize) -> Result<EventKind, DriverError> {
        if let Some(deleted) = &says.deletes {
            let message = self.transcript.own_message(&says.lane, &says.user, deleted)?;
            return Ok(EventKind::MessageDeleted { message });
        }
        if let Some(edited) = &says.edits {
            let message = self.transcript.own_message(&says.lane, &says.user, edited)?;
            return Ok(EventKind::MessageEdited { message, text: says.text.clone(), metadata_only: false });
        }
        let reply_to =
            says.replies_to.as_deref().map(|name| self.transcript.message(&says.lane, name)).transpose()?;
        Ok(EventKind::MessagePosted(MessagePosted {
            text: says.text.clone(),
            message_id: Some(format!("said-{}", n + 1)),
            reply_to: reply_to.map(|id| id.0),
            quote: says.quote.clone(),
            task: None,
            files: says
                .attach
                .iter()
                .map(|kind| Attachment { kind: kind.clone(), ..Attachment::default() })
                .collect(),
            seen: None,
        }))
    }

    fn presses(&self, press: &PressAct) -> Result<Vec<EventKind>, DriverError> {
        let action = Action::parse(&press.action)
            .ok_or_else(|| DriverError::unsupported(&format!("press {}", press.action)))?;
        let (button, _) =
            self.transcript.button(&press.lane, &press.card, press.item.as_deref(), &[action])?;
        let kind = EventKind::CardPressed { press: button, remember: press.remember };
        Ok((0..press.times).map(|_| kind.clone()).collect())
    }

    /// Returns the addressing an adapter would see: every message is to the assistant, unless it begins with a
    /// person's name.
    fn addressing(&self, act: &Act) -> Addressing {
        let Act::Message(says) = act else { return Addressing::default() };
        let users = &self.scenario.given.users;
        let other =
            says.text.strip_prefix('@').and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        let to_other = other.is_some_and(|name| users.contains_key(name));
        let direct = self.scenario.given.channel == "web";
        Addressing {
            mentioned: !direct && !to_other,
            direct,
            reply_to_us: says.replies_to.is_some(),
            thread_ours: !direct,
            to_other,
            bot: users.get(&says.user).is_some_and(|user| user.bot),
            own: false,
            vouched: false,
            not_to_us: false,
        }
    }
}

impl Played {
    fn observation<'a>(
        &'a self,
        turn: &'a Turn,
        transcript: &'a Transcript,
        faulty: bool,
    ) -> Observation<'a> {
        let placed = !matches!(turn.act, Act::Advance(_) | Act::Restart(_) | Act::Effects(_));
        let (path, reasons) = self.decided();
        Observation {
            lane: placed.then(|| turn.act.lane()),
            user: turn.act.user(),
            seen: &self.seen,
            decisive: path.last().copied(),
            path,
            reasons,
            before: &self.before,
            after: &self.after,
            facts: &self.facts,
            transcript_before: &self.transcript_before,
            transcript,
            faulty,
        }
    }

    /// Returns the turns up to the decision that counts, which is the last of them, and their reasons. For a delivery
    /// that is its own turn, the last press of several, or the turn that a model's or host's answer ended in; without
    /// a delivery it is the last turn.
    fn decided(&self) -> (Vec<&TurnSummary>, Vec<Reason>) {
        let turns: Vec<_> = self.seen.turns.iter().collect();
        let is_own = |key: &Option<String>| key.as_ref().is_some_and(|key| self.own.contains(key));
        let mut path: Vec<&TurnSummary> = if self.own.is_empty() {
            turns.iter().map(|turn| &turn.summary).collect()
        } else {
            turns.iter().filter(|turn| is_own(&turn.delivery)).map(|turn| &turn.summary).collect()
        };
        if let Some(at) = turns.iter().rposition(|turn| is_own(&turn.delivery)) {
            let answers = |turn: &&crate::driver::CommittedTurn| {
                let about =
                    turn.summary.decision.rung >= Rung::Review || turn.summary.trace.selection.is_some();
                turn.lane == turns[at].lane && turn.summary.event == "effect.settled" && about
            };
            let mut later = turns[at + 1..].iter().copied().filter(answers);
            while path.last().is_some_and(|turn| turn.decision.outcome == Verdict::Deferred) {
                let Some(turn) = later.next() else { break };
                path.push(&turn.summary);
            }
        }
        let mut reasons = Vec::new();
        for turn in &path {
            reasons.push(turn.decision.reason);
            reasons.extend(&turn.trace.also);
        }
        if self.seen.duplicates.iter().any(|key| self.own.contains(key)) {
            reasons.push(Reason::DuplicateDelivery);
        }
        (path, reasons)
    }
}
