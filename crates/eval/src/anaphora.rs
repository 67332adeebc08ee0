//! The `anaphora` cases: does a message need an earlier one to be understood, and which?

use serde::Deserialize;
use serde_json::{Map, Value, json};
use throughline_engine::data::focus::FocusSource;
use throughline_language::reference::Need;

use crate::question::{self, Seen};
use crate::section::grouped;
use crate::subject::{Incoming, USER};
use crate::{DecidedCase, Labels, Mistake, Rate, Section, Subject, Table, Task};
use throughline_testkit::DriverError;

/// A conversation and the message that continues it.
#[derive(Clone, Debug, Deserialize)]
pub struct Anaphora {
    id: String,
    source: String,
    history: Vec<String>,
    user_text: String,
    gold: Gold,
    #[serde(default)]
    meta: Meta,
}

#[derive(Clone, Debug, Deserialize)]
struct Gold {
    kind: Kind,
    antecedents: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Anaphor,
    Ellipsis,
    SelfContained,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Anaphor, Self::Ellipsis, Self::SelfContained];

    fn as_str(self) -> &'static str {
        match self {
            Self::Anaphor => "anaphor",
            Self::Ellipsis => "ellipsis",
            Self::SelfContained => "self_contained",
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    /// The author of each message: `user`, or anything else for the assistant.
    roles: Vec<String>,
}

/// The decision.
#[derive(Clone, Debug)]
pub struct AnaphoraDecision {
    /// True if the text needs its anchor.
    needs_context: Option<bool>,
    /// The earlier message it refers to; `Some(None)` for none of them.
    antecedent: Option<Option<usize>>,
    focus: &'static str,
    /// The kind of reference, and the words that show it.
    reference: String,
    seen: Seen,
}

impl Task for Anaphora {
    const NAME: &'static str = "anaphora";
    const MISTAKES: &'static [&'static str] = &["false-alarm", "missed", "wrong-antecedent"];
    type Decided = AnaphoraDecision;

    fn id(&self) -> &str {
        &self.id
    }

    fn labels(&self) -> Labels<'_> {
        let gold = vec![self.gold.kind.as_str()];
        Labels { source: vec![&self.source], expected: None, gold, text: &self.user_text }
    }

    fn check(&self) -> Result<(), String> {
        if !self.meta.roles.is_empty() && self.meta.roles.len() != self.history.len() {
            return Err("meta.roles has another length than history".into());
        }
        if self.gold.antecedents.iter().any(|index| *index >= self.history.len()) {
            return Err("gold.antecedents names a message that is not there".into());
        }
        Ok(())
    }

    /// Replays the history in the lane, and delivers the message without routing the person's earlier ones again.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError> {
        subject.begin(question::moment(None));
        let mut ids = Vec::new();
        for (n, text) in self.history.iter().enumerate() {
            let earlier =
                if self.by_user(n) { Incoming::overheard(USER, text) } else { Incoming::answered(text) };
            ids.push(subject.deliver(earlier)?.messages.first().cloned());
        }
        let step = subject.deliver(Incoming::said(USER, &self.user_text))?;
        let focus = step.trace.focus.as_ref();
        let anchor = focus.map(|focus| focus.anchor.as_ref());
        let index = |anchor| ids.iter().position(|id| id.as_ref() == Some(anchor));
        Ok(AnaphoraDecision {
            needs_context: focus.map(|focus| focus.reference.need == Need::NeedsAnchor),
            antecedent: anchor.map(|anchor| anchor.and_then(index)),
            focus: focus.map_or(FocusSource::None.as_str(), |focus| focus.source.as_str()),
            reference: focus
                .map(|focus| format!("{} ({})", focus.reference.need.as_str(), focus.reference.words))
                .unwrap_or_default(),
            seen: Seen::of(&step),
        })
    }

    fn predict(&self, decided: &Self::Decided) -> Vec<Value> {
        let mut line = Map::new();
        line.extend(decided.needs_context.map(|needs| ("needs_context".to_owned(), needs.into())));
        line.extend(decided.antecedent.map(|index| ("antecedent".to_owned(), json!(index))));
        if line.is_empty() {
            return Vec::new();
        }
        line.insert("id".into(), self.id.as_str().into());
        vec![line.into()]
    }

    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake> {
        let needs = self.gold.kind != Kind::SelfContained;
        let mistake = match (decided.needs_context, decided.antecedent) {
            (Some(true), _) if !needs => "false-alarm",
            (Some(false), _) if needs => "missed",
            (_, Some(index)) if !self.finds(index) => "wrong-antecedent",
            _ => return Vec::new(),
        };
        let shown = |index: usize| format!("[{index}] “{}”", self.history[index]);
        let right: Vec<String> = self.gold.antecedents.iter().copied().map(shown).collect();
        vec![Mistake {
            mistake,
            id: self.id.clone(),
            group: self.source.clone(),
            asked: self.history.last().cloned(),
            said: self.user_text.clone(),
            gold: [&[self.gold.kind.as_str().to_owned()], right.as_slice()].concat().join(", "),
            decided: match decided.antecedent {
                Some(Some(index)) => shown(index),
                Some(None) => "refers to nothing".into(),
                None => "not decided".into(),
            },
            why: format!("focus {}; {}; {}", decided.focus, decided.reference, decided.seen.describe()),
        }]
    }

    fn section(ran: &[DecidedCase<Self>]) -> Section {
        let mut section = Section { task: Self::NAME, cases: ran.len(), ..Section::default() };
        let mut table = Table::new(
            "by_source",
            "By source: taken as needing context, and the earlier message found",
            &["source", "cases", "anaphor", "ellipsis", "self contained", "antecedents", "right"],
        );
        for (source, group) in grouped(ran, |ran| &ran.case.source) {
            let mut row = vec![source.as_str().into(), group.len().into()];
            row.extend(Kind::ALL.map(|kind| needs(&group, kind).into()));
            let found = found(&group);
            row.extend([found.of.into(), found.into()]);
            table.rows.push(row);
        }
        section.tables.push(table);
        let all: Vec<&DecidedCase<Self>> = ran.iter().collect();
        section
            .figures
            .extend(Kind::ALL.map(|kind| (format!("anaphora.{}", kind.as_str()), needs(&all, kind))));
        section.figures.push(("anaphora.antecedent".into(), found(&all)));
        section
    }
}

impl Anaphora {
    /// Returns true if the person wrote the message. Without authors the two took turns, and the assistant wrote the
    /// last.
    fn by_user(&self, n: usize) -> bool {
        match self.meta.roles.get(n) {
            Some(role) => role == "user",
            None => (self.history.len() - n).is_multiple_of(2),
        }
    }

    /// Returns true if the label names this message, where it names any.
    fn finds(&self, index: Option<usize>) -> bool {
        self.gold.antecedents.is_empty() || index.is_some_and(|index| self.gold.antecedents.contains(&index))
    }
}

fn needs(group: &[&DecidedCase<Anaphora>], kind: Kind) -> Rate {
    group.iter().filter(|ran| ran.case.gold.kind == kind).map(|ran| ran.decided.needs_context).collect()
}

fn found(group: &[&DecidedCase<Anaphora>]) -> Rate {
    let named = group.iter().filter(|ran| !ran.case.gold.antecedents.is_empty());
    named.map(|ran| ran.decided.antecedent.map(|index| ran.case.finds(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::question::fixtures::seen;
    use super::*;
    use throughline_engine::Reason;

    fn ran(
        kind: &str,
        antecedents: &[usize],
        needs: Option<bool>,
        found: Option<Option<usize>>,
    ) -> DecidedCase<Anaphora> {
        let row = json!({
            "id": "1", "source": "own", "history": ["a", "b", "c"], "user_text": "!",
            "gold": { "kind": kind, "antecedents": antecedents },
        });
        let decided = AnaphoraDecision {
            needs_context: needs,
            antecedent: found,
            focus: "none",
            reference: String::new(),
            seen: seen(Reason::GateOpened),
        };
        DecidedCase { case: serde_json::from_value(row).unwrap(), decided }
    }

    #[test]
    fn decided_cases_are_counted() {
        let all = [
            ran("anaphor", &[1], Some(true), Some(Some(1))),
            ran("anaphor", &[1], Some(false), Some(Some(1))),
            ran("ellipsis", &[0, 2], Some(true), Some(None)),
            ran("self_contained", &[], Some(true), Some(Some(2))),
        ];
        let section = Anaphora::section(&all);
        let figure = |key: &str| section.figures.iter().find(|(name, _)| name == key).unwrap().1;
        for (key, hits, of) in [
            ("anaphora.anaphor", 1, 2),
            ("anaphora.ellipsis", 1, 1),
            ("anaphora.self_contained", 1, 1),
            ("anaphora.antecedent", 2, 3),
        ] {
            assert_eq!((figure(key).hits, figure(key).of), (hits, of), "{key}");
        }
        let mistakes: Vec<_> = all
            .iter()
            .map(|ran| ran.case.mistakes(&ran.decided).first().map(|found| found.mistake))
            .collect();
        assert_eq!(mistakes, [None, Some("missed"), Some("wrong-antecedent"), Some("false-alarm")]);
        let line = all[0].case.predict(&all[0].decided).remove(0);
        assert_eq!(line, json!({ "id": "1", "needs_context": true, "antecedent": 1 }));
    }

    #[test]
    fn without_authors_the_two_took_turns() {
        let case = ran("anaphor", &[], None, None).case;
        assert_eq!([0, 1, 2].map(|n| case.by_user(n)), [false, true, false], "the assistant spoke last");
        let said =
            Anaphora { meta: Meta { roles: ["user", "user", "topic"].map(Into::into).into() }, ..case };
        assert_eq!([0, 1, 2].map(|n| said.by_user(n)), [true, true, false]);
    }
}
