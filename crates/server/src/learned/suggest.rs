//! Suggestions: what recorded lanes would teach, and which of their decisions would have been others.

use std::collections::BTreeMap;

use throughline_engine::data::policy::lexicon::LexiconEntry;
use throughline_engine::{Decision, Policy};
use throughline_eval::learn::{ChangedDecision, Lesson, MIN_SEEN, Shift, changes, lessons};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::LaneInfo;
use throughline_testkit::Recorded;

use super::versions::{self, Version};
use super::{CHANNEL, Learned, Margins};
use crate::recording;

/// Turns that are read at most, newest lanes first: a second or two of work.
const MAX_TURNS: usize = 20_000;
/// Steps by which a margin of the judge is tried.
const MARGIN_STEPS: [i32; 6] = [-4, -8, -12, 4, 8, 16];
/// Steps by which a model's least confidence is tried.
const CONFIDENCE_STEPS: [i32; 4] = [-10, -20, 10, 20];

/// Lessons that could be learned, and the account of them.
pub(crate) struct Suggestion {
    /// The version in force.
    pub(crate) from: Version,
    /// All that would be in force.
    pub(crate) learned: Learned,
    /// The phrases that are new in it, with where they were seen.
    pub(crate) lessons: Vec<Lesson>,
    /// The replay under it.
    pub(crate) replayed: Replayed,
}

/// Recorded decisions beside those under another policy.
#[derive(Default)]
pub(crate) struct Replayed {
    /// Turns that were decided again.
    pub(crate) decided: usize,
    /// Decisions that would have been others, worst first.
    pub(crate) changed: Vec<ChangedDecision>,
}

impl Replayed {
    /// The number of changed decisions with that judgement.
    pub(crate) fn count(&self, shift: Shift) -> usize {
        self.changed.iter().filter(|change| change.shift == shift).count()
    }
}

/// The recorded lanes of a tenant.
pub(crate) struct Log<'r> {
    runtime: &'r Runtime,
    lanes: Vec<(LaneInfo, Vec<Recorded>)>,
}

impl<'r> Log<'r> {
    /// Reads the newest lanes.
    pub(crate) async fn read(runtime: &'r Runtime, tenant: &str, most: u32) -> Result<Self, RuntimeError> {
        let (mut lanes, mut read) = (Vec::new(), 0);
        for info in runtime.store().lanes(tenant, None, most).await? {
            if info.key.channel == CHANNEL || read >= MAX_TURNS {
                continue;
            }
            let (turns, _) = recording::turns(runtime, &info, |_| ()).await?;
            read += turns.len();
            lanes.push((info, turns));
        }
        Ok(Self { runtime, lanes })
    }

    /// Decides every turn under `now` and under each of `others`. Returns, for each of those, the decisions that differ from the ones under
    /// `now`.
    async fn compare(&self, now: &Policy, others: &[Policy]) -> Result<Vec<Replayed>, RuntimeError> {
        let policies = [std::slice::from_ref(now), others].concat();
        let mut compared: Vec<Replayed> = others.iter().map(|_| Replayed::default()).collect();
        for (info, turns) in &self.lanes {
            let mut decided: Vec<BTreeMap<u64, Decision>> = vec![BTreeMap::new(); policies.len()];
            self.runtime
                .replay_under(&info.key, &policies, |revision, at, decision| {
                    decided[at].insert(revision, decision);
                })
                .await?;
            let now = decided.remove(0);
            for (replayed, mut other) in compared.iter_mut().zip(decided) {
                replayed.decided += other.len();
                other.retain(|revision, decision| now.get(revision) != Some(&*decision));
                replayed.changed.extend(changes(turns, &other));
            }
        }
        compared.iter_mut().for_each(|replayed| replayed.changed.sort_by_key(|change| change.shift));
        Ok(compared)
    }

    /// Decides every turn under what would be learned instead of what is in force.
    pub(crate) async fn replay(&self, from: &Learned, to: &Learned) -> Result<Replayed, RuntimeError> {
        let configured = self.runtime.policy();
        let replayed = self.compare(&from.onto(configured), &[to.onto(configured)]).await?;
        Ok(replayed.into_iter().next().unwrap_or_default())
    }

    /// Says what could be learned: phrases that no recorded decision speaks against, and thresholds under which more of them are
    /// right and none is worse.
    pub(crate) async fn suggest(&self, tenant: &str) -> Result<Suggestion, RuntimeError> {
        let (from, _) = versions::current(self.runtime.store().as_ref(), tenant).await?;
        let now = from.learned.onto(self.runtime.policy());
        let turns: Vec<Vec<Recorded>> = self.lanes.iter().map(|(_, turns)| turns.clone()).collect();
        let found = lessons(&turns, &now.lexicon);
        let mut learned = self.thresholds(&from.learned, &now).await?;
        let (lessons, replayed) = loop {
            let kept: Vec<Lesson> =
                found.iter().filter(|lesson| !learned.refused.contains(&lesson.entry)).cloned().collect();
            let entries = kept.iter().map(|lesson| lesson.entry.clone());
            learned.taken.lexicon = from.learned.lexicon.iter().cloned().chain(entries).collect();
            let replayed = self.replay(&from.learned, &learned.taken).await?;
            let worse: Vec<&ChangedDecision> =
                replayed.changed.iter().filter(|change| change.shift == Shift::Worse).collect();
            let refused = kept
                .iter()
                .map(|lesson| &lesson.entry)
                .filter(|entry| worse.iter().any(|change| reads(entry, &change.said)));
            let refused: Vec<LexiconEntry> = refused.cloned().collect();
            match (worse.is_empty(), refused.is_empty()) {
                (true, _) => break (kept, replayed),
                (false, false) => learned.refused.extend(refused),
                // Together with the phrases a threshold does harm that it did not do alone.
                (false, true) if learned.has_thresholds(&from.learned) => {
                    learned.drop_thresholds(&from.learned)
                }
                (false, true) => break (kept, replayed),
            }
        };
        Ok(Suggestion { from, learned: learned.taken, lessons, replayed })
    }

    /// The thresholds that would have decided more of the recorded turns rightly, and none worse.
    async fn thresholds(&self, from: &Learned, now: &Policy) -> Result<Search, RuntimeError> {
        let tried = tried(from, now);
        let policies: Vec<Policy> =
            tried.iter().map(|(_, learned)| learned.onto(self.runtime.policy())).collect();
        let replayed = self.compare(now, &policies).await?;
        let mut best: BTreeMap<Threshold, (usize, &Learned)> = BTreeMap::new();
        for ((threshold, learned), replayed) in tried.iter().zip(&replayed) {
            let better = replayed.count(Shift::Better);
            let known = best.get(threshold).map_or(MIN_SEEN - 1, |(better, _)| *better);
            if replayed.count(Shift::Worse) == 0 && better > known {
                best.insert(*threshold, (better, learned));
            }
        }
        let mut taken = from.clone();
        for (threshold, (_, learned)) in best {
            threshold.copy(learned, &mut taken, now);
        }
        Ok(Search { taken, refused: Vec::new() })
    }
}

/// Search for what could be learned.
struct Search {
    taken: Learned,
    /// Entries that made a recorded decision worse.
    refused: Vec<LexiconEntry>,
}

impl Search {
    fn has_thresholds(&self, from: &Learned) -> bool {
        (&self.taken.judge, self.taken.min_confidence) != (&from.judge, from.min_confidence)
    }

    fn drop_thresholds(&mut self, from: &Learned) {
        (self.taken.judge, self.taken.min_confidence) = (from.judge.clone(), from.min_confidence);
    }
}

/// A number that may be learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Threshold {
    Yes,
    No,
    End,
    Confidence,
}

impl Threshold {
    const ALL: [Self; 4] = [Self::Yes, Self::No, Self::End, Self::Confidence];

    fn steps(self) -> &'static [i32] {
        if self == Self::Confidence { &CONFIDENCE_STEPS } else { &MARGIN_STEPS }
    }

    /// Returns what would be learned with this number changed by a step; `None` if it could not be.
    fn moved(self, from: &Learned, now: &Policy, step: i32) -> Option<Learned> {
        let mut learned = from.clone();
        if self == Self::Confidence {
            let percent = i32::from(now.ask.min_confidence) + step;
            learned.min_confidence =
                Some(u8::try_from(percent).ok().filter(|percent| (1..100).contains(percent))?);
            return Some(learned);
        }
        let mut margins = Margins::of(&now.judge);
        let margin = self.of(&mut margins)?;
        *margin += step;
        let valid = *margin > 0 && now.judge.enabled;
        learned.judge = Some(margins);
        valid.then_some(learned)
    }

    fn of(self, margins: &mut Margins) -> Option<&mut i32> {
        match self {
            Self::Yes => Some(&mut margins.yes),
            Self::No => Some(&mut margins.no),
            Self::End => Some(&mut margins.end),
            Self::Confidence => None,
        }
    }

    /// Copies this number alone.
    fn copy(self, learned: &Learned, into: &mut Learned, now: &Policy) {
        if self == Self::Confidence {
            into.min_confidence = learned.min_confidence;
            return;
        }
        let from = learned.judge.clone().and_then(|mut margins| self.of(&mut margins).copied());
        let margins = into.judge.get_or_insert_with(|| Margins::of(&now.judge));
        if let (Some(from), Some(margin)) = (from, self.of(margins)) {
            *margin = from;
        }
    }
}

fn tried(from: &Learned, now: &Policy) -> Vec<(Threshold, Learned)> {
    let each = |threshold: Threshold| threshold.steps().iter().map(move |step| (threshold, *step));
    let all = Threshold::ALL.into_iter().flat_map(each);
    all.filter_map(|(threshold, step)| Some((threshold, threshold.moved(from, now, step)?))).collect()
}

/// True if an entry changes how a message is read.
fn reads(entry: &LexiconEntry, said: &str) -> bool {
    let alone = Policy { lexicon: vec![entry.clone()], ..Policy::default() };
    alone.in_known_words(said) != said
}
