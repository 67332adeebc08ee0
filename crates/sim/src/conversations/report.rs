//! Findings over many conversations: families of what should not have happened, and how often plain texts did what
//! they say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::texts::Meaning;

/// Seeds of plain texts that were not carried out, of which so many are kept.
const MISSED: usize = 8;

/// Kind of finding: findings of one family most likely have one cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Family {
    /// Meaning of the text.
    pub meaning: &'static str,
    /// The thing it replies to, and the newest thing that waited for its author.
    pub situation: String,
    /// The deed.
    pub deed: String,
}

impl Family {
    /// Returns what families with most likely one cause have in common.
    #[must_use]
    pub fn cause(&self) -> String {
        let reply = self.situation.split(',').next().unwrap_or_default();
        let model = self.deed.starts_with("a model");
        let named = matches!(self.meaning, "label" | "misspelt" | "nth" | "last");
        if self.situation.contains("overtaken") {
            "a model's pick counts after its text was taken back or overtaken".into()
        } else if reply != "no reply" && !reply.ends_with("list") {
            format!("{reply}: read as if it replied to nothing")
        } else if model && named {
            "a model picks another option than the text names".into()
        } else if model {
            format!("a model picks for a text that chooses nothing: {}", self.meaning)
        } else if self.deed.contains("somebody else's") {
            self.deed.clone()
        } else {
            format!("{}, {}: {}", self.meaning, self.situation, self.deed)
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {}", self.meaning, self.situation, self.deed)
    }
}

/// Something that was done and is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Place of the act whose text did it.
    pub act: usize,
    /// Family.
    pub family: Family,
    /// The deed in detail.
    pub deed: String,
}

/// Counts of the texts of one meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Texts.
    pub all: u64,
    /// Texts that may do something.
    pub may: u64,
    /// Texts that did something at once.
    pub did: u64,
}

/// Outcomes of one conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Turns taken.
    pub turns: u64,
    /// Options run, gates decided and questions answered.
    pub deeds: u64,
    /// Counts by meaning.
    pub said: BTreeMap<&'static str, Said>,
    /// Plain texts, and those that were carried out.
    pub plain: (u64, u64),
    /// Answers of a model, and those that ran an option.
    pub model: (u64, u64),
    /// Plain texts that were not carried out.
    pub missed: u64,
    /// The deed that is not allowed.
    pub findings: Vec<Finding>,
}

impl Outcomes {
    pub(super) fn text(&mut self, meaning: Meaning, may: bool, did: bool, plain: bool) {
        let said = self.said.entry(meaning.name()).or_default();
        said.all += 1;
        said.may += u64::from(may);
        said.did += u64::from(did);
        self.plain.0 += u64::from(plain);
        self.plain.1 += u64::from(plain && did);
        self.missed += u64::from(plain && !did);
    }

    pub(super) fn picked(&mut self, did: bool) {
        self.model.0 += 1;
        self.model.1 += u64::from(did);
    }
}

/// Outcomes of many conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Conversations.
    pub conversations: u64,
    /// Turns taken.
    pub turns: u64,
    /// Options run, gates decided and questions answered.
    pub deeds: u64,
    /// Counts by meaning.
    pub said: BTreeMap<&'static str, Said>,
    /// Plain texts, and those that were carried out.
    pub plain: (u64, u64),
    /// Answers of a model, and those that ran an option.
    pub model: (u64, u64),
    /// The smallest seeds of conversations in which a plain text was not carried out.
    pub missed: BTreeSet<u64>,
    /// Findings by family: how many, and the smallest seed.
    pub families: BTreeMap<Family, (u64, u64)>,
}

impl Tally {
    /// Adds the outcomes of a conversation.
    pub fn add(&mut self, seed: u64, outcomes: Outcomes) {
        self.conversations += 1;
        self.turns += outcomes.turns;
        self.deeds += outcomes.deeds;
        self.count(&outcomes.said, outcomes.plain, outcomes.model);
        if outcomes.missed > 0 {
            self.miss(seed);
        }
        for finding in outcomes.findings {
            let (count, first) = self.families.entry(finding.family).or_insert((0, seed));
            (*count, *first) = (*count + 1, seed.min(*first));
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.turns += other.turns;
        self.deeds += other.deeds;
        self.count(&other.said, other.plain, other.model);
        for seed in other.missed {
            self.miss(seed);
        }
        for (family, (more, seed)) in other.families {
            let (count, first) = self.families.entry(family).or_insert((0, seed));
            (*count, *first) = (*count + more, seed.min(*first));
        }
    }

    fn miss(&mut self, seed: u64) {
        self.missed.insert(seed);
        if self.missed.len() > MISSED {
            self.missed.pop_last();
        }
    }

    fn count(&mut self, said: &BTreeMap<&'static str, Said>, plain: (u64, u64), model: (u64, u64)) {
        for (meaning, more) in said {
            let known = self.said.entry(meaning).or_default();
            known.all += more.all;
            known.may += more.may;
            known.did += more.did;
        }
        self.plain = (self.plain.0 + plain.0, self.plain.1 + plain.1);
        self.model = (self.model.0 + model.0, self.model.1 + model.1);
    }

    /// Returns the number of things that were done and are not allowed.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.families.values().map(|(count, _)| count).sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} conversations, {} turns, {} deeds, {} of them not allowed",
            self.conversations,
            self.turns,
            self.deeds,
            self.wrong()
        )?;
        writeln!(
            f,
            "plain texts carried out: {} of {}, not in {:?}",
            self.plain.1, self.plain.0, self.missed
        )?;
        writeln!(f, "picks of a model that ran: {} of {}", self.model.1, self.model.0)?;
        writeln!(f, "{:<12} {:>10} {:>10} {:>10}", "meaning", "texts", "may act", "acted")?;
        for (meaning, said) in &self.said {
            writeln!(f, "{meaning:<12} {:>10} {:>10} {:>10}", said.all, said.may, said.did)?;
        }
        if !self.families.is_empty() {
            let mut causes: BTreeMap<String, u64> = BTreeMap::new();
            for (family, (count, _)) in &self.families {
                *causes.entry(family.cause()).or_default() += count;
            }
            let mut causes: Vec<_> = causes.into_iter().collect();
            causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            writeln!(f, "causes, the most frequent first:")?;
            for (cause, count) in causes {
                writeln!(f, "{count:>8}  {cause}")?;
            }
            writeln!(f, "families that are not allowed, the most frequent first:")?;
            let mut families: Vec<_> = self.families.iter().collect();
            families.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (family, (count, seed)) in families {
                writeln!(f, "{count:>8}  {family}  (seed {seed})")?;
            }
        }
        Ok(())
    }
}
