//! Training of the learned judge from labelled messages, and figures of it on messages it did not see.
//!
//! The same lines in the same order give the same bytes: see [`learn`].

mod examples;
mod learn;

use std::collections::{BTreeMap, BTreeSet};

pub use examples::{Labelled, LabelledTask};
use learn::{Example, learn};
use throughline_language::judge::{Head, Kind, Model, PLACES, bytes_of, features, hash_of};
use throughline_language::{Context, Expected, Words, interrupt, is_acknowledgement, read};

/// The number of messages from which on a word is no rare one.
const COMMON: usize = 30;
/// The weight of a message on which the rules abstain, to one that they decide: the judge is asked about no other.
const OPEN_WEIGHT: f64 = 4.0;
/// The whole number that a weight of 1 becomes.
const SCALE: f64 = 100.0;
/// The number of folds of a cross-validation.
pub const FOLDS: u32 = 5;

/// Learns a model. Returns its bytes.
#[must_use]
pub fn train(labelled: &[&Labelled]) -> Vec<u8> {
    let common = common_words(labelled);
    let examples: Vec<Example> = labelled.iter().map(|one| example(one, &common)).collect();
    let heads = Head::ALL.map(|head| learn(&examples, head));
    let mut weights = vec![[0; Head::ALL.len()]; PLACES];
    for (head, learned) in heads.iter().enumerate() {
        for (place, weight) in learned.weights.iter().enumerate() {
            weights[place][head] = whole(*weight).clamp(-127, 127) as i8;
        }
    }
    bytes_of(heads.each_ref().map(|learned| whole(learned.bias)), common, &weights)
}

fn whole(weight: f64) -> i32 {
    (weight * SCALE).round() as i32
}

/// The hashes of the words that are no rare ones, in order.
fn common_words(labelled: &[&Labelled]) -> BTreeSet<u32> {
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    for one in labelled {
        let words = Words::of(&one.text);
        let of_message: BTreeSet<u32> = words.all().iter().map(|word| hash_of(words.folded(word))).collect();
        of_message.into_iter().for_each(|hash| *seen.entry(hash).or_default() += 1);
    }
    seen.into_iter().filter(|(_, times)| *times >= COMMON).map(|(hash, _)| hash).collect()
}

fn example(labelled: &Labelled, common: &BTreeSet<u32>) -> Example {
    let (words, question) = (Words::of(&labelled.text), Words::of(&labelled.question));
    let found = features(&words, words.all(), &question, Kind::of(&question), |hash| common.contains(&hash));
    Example {
        places: found.iter().map(|feature| feature.hash as usize % PLACES).collect(),
        labels: labelled.labels,
        weight: if labelled.is_open() { OPEN_WEIGHT } else { 1.0 },
    }
}

impl Labelled {
    /// Returns true if the rules decide nothing about it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let (words, context) = (Words::of(&self.text), Context::default().to(&self.question));
        match self.task {
            LabelledTask::Closing => !is_acknowledgement(&words, &context),
            _ => interrupt(&words).is_none() && read(&Expected::Boolean, &words, &context).is_err(),
        }
    }
}

/// A message that the rules leave open, with the verdict of a model that did not learn from its group.
#[derive(Clone, Debug)]
pub struct Unseen {
    /// The head that won.
    pub head: Head,
    /// Its margin.
    pub margin: i32,
    /// True if the label agrees, `None` where it does not say.
    pub right: Option<bool>,
    /// True if the question was to confirm something.
    pub confirms: bool,
}

/// Judges every open message that `asked` selects by a model learned from the other groups' messages that `learned`
/// selects.
#[must_use]
pub fn cross_validate(
    labelled: &[Labelled],
    learned: impl Fn(&Labelled) -> bool,
    asked: impl Fn(&Labelled) -> bool,
) -> Vec<Unseen> {
    let mut unseen = Vec::new();
    for fold in 0..FOLDS {
        let inside = |one: &&Labelled| (one.group >> 7) % FOLDS == fold;
        let others: Vec<&Labelled> = labelled.iter().filter(|one| !inside(one) && learned(one)).collect();
        let bytes = train(&others);
        let Some(model) = Model::of(&bytes) else { continue };
        let open = labelled.iter().filter(inside).filter(|one| asked(one) && one.is_open());
        unseen.extend(open.filter_map(|one| judged(model, one)));
    }
    unseen
}

/// The number of questions that a message without one is put to.
const QUESTIONS: usize = 3;

/// Puts messages that were labelled without a question to questions of others, which are chosen by the message's words.
#[must_use]
pub fn put_to_questions(labelled: &[Labelled]) -> Vec<Labelled> {
    let is_plain = |one: &&Labelled| {
        let kind = Kind::of(&Words::of(&one.question));
        one.task == LabelledTask::Answer
            && !matches!(kind, Kind::Unknown | Kind::More | Kind::Choice | Kind::Mind)
    };
    let questions: BTreeSet<&str> = labelled.iter().filter(is_plain).map(|one| &*one.question).collect();
    let questions: Vec<&str> = questions.into_iter().collect();
    let put = |one: &Labelled| -> Vec<Labelled> {
        if one.task != LabelledTask::Utterance || questions.is_empty() {
            return vec![one.clone()];
        }
        let chosen =
            (0..QUESTIONS).map(|at| hash_of(&format!("{at} {}", one.text)) as usize % questions.len());
        chosen.map(|at| Labelled { question: questions[at].into(), ..one.clone() }).collect()
    };
    labelled.iter().flat_map(put).collect()
}

fn judged(model: Model<'_>, one: &Labelled) -> Option<Unseen> {
    let (words, context) = (Words::of(&one.text), Context::default().to(&one.question));
    let confirms = Kind::of(&Words::of(&one.question)).is_settled_by_yes();
    let says = |head: Head| one.labels[head as usize];
    if one.task == LabelledTask::Closing {
        let end = model.end(&words, &context)?;
        let margin = if end.veto.is_some() { 0 } else { end.margin };
        return Some(Unseen { head: Head::Done, margin, right: says(Head::Done), confirms });
    }
    let answer = model.answer(&words, &context)?;
    let head = if answer.yes { Head::Yes } else { Head::No };
    let margin = if answer.veto.is_some() { 0 } else { answer.margin };
    Some(Unseen { head, margin, right: says(head), confirms })
}

#[cfg(test)]
mod tests;
