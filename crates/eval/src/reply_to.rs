//! The `reply_to` cases: which earlier message of a log does this one answer, if any?

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::data::focus::ThreadPosition;
use throughline_engine::{MessageId, Timestamp, Verdict};

use crate::question;
use crate::section::grouped;
use crate::subject::Incoming;
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// A log, with its annotated messages.
#[derive(Clone, Debug, Deserialize)]
pub struct ReplyTo {
    id: String,
    source: String,
    channel: String,
    messages: Vec<Said>,
    links: Vec<Link>,
}

#[derive(Clone, Debug, Deserialize)]
struct Said {
    /// Its number in the log.
    i: u64,
    /// The time of day, to the minute or the second.
    t: Option<String>,
    /// The author; `None` for the system.
    u: Option<String>,
    /// The text.
    x: String,
}

/// A message and those it answers; its own number if it starts anew.
#[derive(Clone, Debug, Deserialize)]
struct Link(u64, Vec<u64>);

/// The message found for each link, `None` if nothing was decided; and whether each message of the log, none of them put to the
/// assistant, was answered with a card or a question in a room the assistant takes part in.
#[derive(Clone, Debug)]
pub struct ReplyToDecision(Vec<Option<u64>>, Vec<bool>);

impl ReplyTo {
    /// Replays the log in a lane in which the assistant has written, as people who write to each other.
    fn cards(&self, subject: &mut dyn Subject) -> Result<Vec<bool>, DriverError> {
        let mut now = question::moment(None);
        subject.begin(now);
        let _ = subject.deliver(Incoming::answered("I am here if somebody needs me."))?;
        let mut shown = Vec::new();
        for said in &self.messages {
            let Some(by) = &said.u else { continue };
            now = clock(now, said.t.as_deref());
            subject.advance_to(now);
            let step = subject.deliver(Incoming::between_people(by, &said.x))?;
            shown.push(matches!(step.decision.outcome, Verdict::Shown | Verdict::Asked));
        }
        Ok(shown)
    }
}

impl Task for ReplyTo {
    const NAME: &'static str = "reply_to";
    const MISTAKES: &'static [&'static str] = &["wrong-anchor", "missed-new"];
    type Decided = ReplyToDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        Labels { source: vec![&self.source, &self.channel], ..Labels::default() }
    }

    fn check(&self) -> Result<(), String> {
        let there = |n: &u64| self.messages.iter().any(|said| said.i == *n);
        match self.links.iter().find(|Link(child, _)| !there(child)) {
            Some(Link(child, _)) => Err(format!("links names message {child}, which is not there")),
            None if self.links.iter().any(|Link(_, parents)| parents.is_empty()) => {
                Err("links has a message without a parent: one that starts anew is its own".into())
            }
            None => Ok(()),
        }
    }

    /// Replays the log in one lane, as a conversation among people. Each annotated message is also considered as if
    /// it were addressed to the assistant, and its anchor is read.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        let mut now = question::moment(None);
        subject.begin(now);
        let mut ids: BTreeMap<MessageId, u64> = BTreeMap::new();
        let mut found: BTreeMap<u64, Option<u64>> = BTreeMap::new();
        for said in &self.messages {
            // Lines of the system (people joining and leaving) are no messages.
            let Some(by) = &said.u else { continue };
            now = clock(now, said.t.as_deref());
            subject.advance_to(now);
            if self.links.iter().any(|Link(child, _)| *child == said.i) {
                let step = subject.consider(Incoming::said(by, &said.x))?;
                let thread = step.trace.focus.and_then(|focus| focus.thread);
                let parent = thread.and_then(|thread| match thread {
                    ThreadPosition::Answers(id) => ids.get(&id).copied(),
                    ThreadPosition::StartsAnew => Some(said.i),
                });
                found.insert(said.i, parent);
            }
            let kept = subject.deliver(Incoming::overheard(by, &said.x))?;
            ids.extend(kept.messages.first().map(|id| (id.clone(), said.i)));
        }
        let links = self.links.iter().map(|Link(child, _)| found.get(child).copied().flatten()).collect();
        Ok(ReplyToDecision(links, self.cards(subject)?))
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        let found = self.links.iter().zip(&decided.0);
        let line = |(Link(child, _), found): (&Link, &Option<u64>)| {
            found.map(|parent| json!({ "id": format!("{}:{child}", self.id), "parent": parent }))
        };
        found.filter_map(line).collect()
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let words = |n: u64| {
            let said = self.messages.iter().find(|said| said.i == n);
            said.map_or_else(|| n.to_string(), |said| format!("[{n}] “{}”", said.x))
        };
        let wrong = self.links.iter().zip(&decided.0).filter_map(|(Link(child, parents), found)| {
            let found = (*found)?;
            let new = parents == &[*child];
            (!parents.contains(&found)).then(|| Mistake {
                mistake: if new { "missed-new" } else { "wrong-anchor" },
                id: format!("{}:{child}", self.id),
                group: format!("{} · {}", self.source, self.channel),
                asked: None,
                said: words(*child),
                gold: if new {
                    "starts anew".into()
                } else {
                    parents.iter().map(|parent| words(*parent)).collect::<Vec<_>>().join(" or ")
                },
                decided: if found == *child { "starts anew".into() } else { words(found) },
                why: "the thread of the focus".into(),
            })
        });
        wrong.collect()
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let links: Vec<Judged<'_>> = ran.iter().flat_map(judged).collect();
        let mut section = Section { task: Self::NAME, cases: links.len(), ..Section::default() };
        if links.iter().any(|link| link.right.is_none()) {
            section.notes.push(
                "The engine's focus takes the assistant's newest message; which of several people's messages is \
                 answered is not yet decided."
                    .into(),
            );
        }
        let mut table = Table::new(
            "by_channel",
            "By channel: the message found",
            &["channel", "linked", "linked right", "new", "new found"],
        );
        let row = |name: &str, group: &[&Judged<'_>]| {
            let (linked, new) = (rate(group, false), rate(group, true));
            vec![name.into(), linked.of.into(), linked.into(), new.of.into(), new.into()]
        };
        let all: Vec<&Judged<'_>> = links.iter().collect();
        table.rows.push(row("all", &all));
        for (channel, group) in grouped(&links, |link| link.channel) {
            table.rows.push(row(channel, &group));
        }
        section.tables.push(table);
        let cards = ran.iter().flat_map(|ran| &ran.decided.1).map(|card| Some(*card)).collect();
        section.figures = vec![
            ("reply_to.linked".into(), rate(&all, false)),
            ("reply_to.new".into(), rate(&all, true)),
            ("room.cards".into(), cards),
        ];
        section
    }
}

struct Judged<'r> {
    channel: &'r str,
    new: bool,
    right: Option<bool>,
}

fn judged(ran: &DecidedCase<ReplyTo>) -> impl Iterator<Item = Judged<'_>> {
    ran.case.links.iter().zip(&ran.decided.0).map(|(Link(child, parents), found)| Judged {
        channel: &ran.case.channel,
        new: parents == &[*child],
        right: found.map(|found| parents.contains(&found)),
    })
}

fn rate(links: &[&Judged<'_>], new: bool) -> Rate {
    links.iter().filter(|link| link.new == new).map(|link| link.right).collect()
}

/// Returns the next moment with that time of day, not before `last`.
fn clock(last: Timestamp, time: Option<&str>) -> Timestamp {
    let since_midnight = time.and_then(|time| {
        let mut parts = time.split(':').map(|part| part.parse::<i64>().ok());
        let (hours, minutes) = (parts.next()??, parts.next()??);
        // Some logs have seconds.
        let seconds = parts.next().map_or(Some(0), |seconds| seconds)?;
        Some((hours * 60 + minutes) * Timestamp::MINUTE + seconds * Timestamp::SECOND)
    });
    let Some(since_midnight) = since_midnight else { return last };
    let midnight = last.0 - last.0.rem_euclid(Timestamp::DAY);
    let today = Timestamp(midnight + since_midnight);
    if today < last && last.since(today) > 12 * Timestamp::HOUR {
        today.plus(Timestamp::DAY)
    } else {
        today.max(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> ReplyTo {
        let said = |i: u64| json!({ "i": i, "u": "ana", "x": format!("m{i}") });
        let row = json!({
            "id": "log", "source": "own", "channel": "hall", "messages": [said(1), said(2), said(3), said(4)],
            "links": [[2, [1]], [3, [3]], [4, [1, 2]]],
        });
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn any_parent_counts_and_its_own_number_starts_anew() {
        let ran = DecidedCase {
            case: log(),
            decided: ReplyToDecision(vec![Some(1), Some(2), Some(2)], vec![false, true, false, false]),
        };
        let section = ReplyTo::section(std::slice::from_ref(&ran));
        let figures: Vec<_> = section.figures.iter().map(|(_, rate)| (rate.hits, rate.of)).collect();
        assert_eq!((figures, section.cases), (vec![(2, 2), (0, 1), (1, 4)], 3));
        let mistakes = ran.case.mistakes(&ran.decided);
        assert_eq!(mistakes.len(), 1);
        assert_eq!((mistakes[0].id.as_str(), mistakes[0].mistake), ("log:3", "missed-new"));
        assert_eq!(ran.case.predict(&ran.decided)[2], json!({ "id": "log:4", "parent": 2 }));
    }

    #[test]
    fn an_undecided_case_has_no_prediction() {
        let ran = DecidedCase { case: log(), decided: ReplyToDecision(vec![None, None, None], Vec::new()) };
        assert!(ran.case.predict(&ran.decided).is_empty() && ran.case.mistakes(&ran.decided).is_empty());
        let section = ReplyTo::section(&[ran]);
        let mut found = section.figures.iter().filter(|(key, _)| key.starts_with("reply_to"));
        assert!(found.all(|(_, rate)| rate.is_undecided()));
    }

    #[test]
    fn the_clock_never_goes_back() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let evening = at("2026-01-15T23:58:00Z");
        assert_eq!(clock(evening, Some("23:59")), at("2026-01-15T23:59:00Z"));
        assert_eq!(clock(evening, Some("00:01")), at("2026-01-16T00:01:00Z"));
        assert_eq!(clock(evening, Some("23:57")), evening, "two clocks that differ by a minute");
        assert_eq!(clock(evening, Some("23:58:07")), at("2026-01-15T23:58:07Z"), "to the second");
        assert_eq!(clock(evening, None), evening);
    }
}
