//! Recognition of requests to hand work over: "do that via sub-agent", "delegate it to writer", "@writer …",
//! "retry the weather lookup" (`docs/design/0016-intent-and-scope-gate.md`). A request has to be explicit,
//! and has to name an agent or tool that the policy configures.
//!
//! The verbs and other words are lists of the crate `throughline_language` (`data/*/requests/handover.txt`).

use alloc::string::{String, ToString};

use crate::data::policy::Policy;
use throughline_language::Words;
use throughline_language::intent::rules::{BEFORE, Reader, readers, section};
use throughline_language::lexicon::{SectionId, skip};
use throughline_language::words::Gap;

/// Request to hand work over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delegation {
    /// Work for a sub-agent.
    Agent {
        /// Name of the agent; `None` for any sub-agent.
        name: Option<String>,
        /// Task in the message's own words; `None` for "that": the anchor's task.
        about: Option<String>,
    },
    /// Call of a tool.
    Tool {
        /// Name of the tool.
        name: String,
        /// Text after the name.
        rest: String,
    },
}

const AGENT: SectionId = section("hand.agent");
const AROUND: SectionId = section("hand.around");
const ARTICLE: SectionId = section("hand.article");
const ASK: SectionId = section("ask");
const DELEGATE: SectionId = section("hand.delegate");
const DELEGATE_LAST: SectionId = section("hand.delegate.last");
const DO: SectionId = section("hand.do");
const FOR: SectionId = section("hand.for");
const GIVE: SectionId = section("hand.give");
const LET: SectionId = section("hand.let");
const OBJECT: SectionId = section("hand.object");
const RUN: SectionId = section("hand.run");
const TO: SectionId = section("hand.to");
const TOOL: SectionId = section("hand.tool");
const TO_DO: SectionId = section("hand.to_do");
const USE: SectionId = section("hand.use");
const VIA: SectionId = section("hand.via");

/// Maximum number of words of the task between verb and agent: "delegate the partner update to writer".
const OWN_WORDS: usize = 12;

/// Returns the request of this message to a sub-agent or tool of the policy.
#[must_use]
pub fn delegation(message: &Words, policy: &Policy) -> Option<Delegation> {
    if policy.agents.is_empty() && policy.tools.is_empty() {
        return None;
    }
    let read = |reader| DelegationReader { reader, policy };
    readers(message).find_map(|reader| read(reader).clauses())
}

/// Returns the name that a message hands "that" over to, in words that can mean nothing else, when policy configures nobody
/// of that name: "delegate that to writer".
#[must_use]
pub fn handed_to(message: &Words) -> Option<String> {
    readers(message).find_map(|reader| {
        let from = reader.behind_before(0);
        let asked = [from, 0].map(|at| at + reader.list(ASK).longest(reader.words, at));
        asked.into_iter().chain([from, 0]).find_map(|at| to_somebody(&reader, at))
    })
}

/// The most words of a name.
const NAME_WORDS: usize = 3;

/// Matches "delegate that to …" and "das an … delegieren", up to the end of the message.
fn to_somebody(reader: &Reader<'_>, at: usize) -> Option<String> {
    let (words, list) = (reader.words, |id| reader.list(id));
    let (first, last) = (list(DELEGATE).longest(words, at), list(DELEGATE_LAST));
    let object = at + first + list(OBJECT).longest(words, at + first);
    let name = object + list(TO).longest(words, object);
    if object == at + first || name == object || words.iter().any(|word| word.quoted) {
        return None;
    }
    let around = |at: usize| skip(&[list(AROUND)], words, at).max(at) == words.len();
    (name + 1..=words.len().min(name + NAME_WORDS + 1)).find_map(|end| {
        let behind = last.longest(words, end);
        let whole = (first > 0 || behind > 0) && around(end + behind) && end - name <= NAME_WORDS;
        whole.then(|| reader.message.clause(name, end).trim_start_matches('@').to_string())
    })
}

struct DelegationReader<'m> {
    reader: Reader<'m>,
    policy: &'m Policy,
}

/// Agent in the text, with the index of the word after it. The name is `None` for "a sub-agent".
struct NamedAgent<'p> {
    name: Option<&'p str>,
    end: usize,
}

impl<'m> DelegationReader<'m> {
    fn clauses(&self) -> Option<Delegation> {
        let words = self.reader.words;
        let begins = (0..words.len()).filter(|&at| self.reader.begins_clause(at) && !words[at].quoted);
        begins.filter(|&at| !self.reader.negated(at)).find_map(|from| {
            let at = self.reader.behind_before(from);
            // The clause may begin with a request word that is also a polite filler: "could you".
            let asked = [at, from].map(|at| at + self.longest(ASK, at));
            asked.into_iter().chain([at, from]).find_map(|at| self.at(at))
        })
    }

    fn at(&self, at: usize) -> Option<Delegation> {
        self.spoken_to(at)
            .or_else(|| self.verb_first(at, DO, VIA))
            .or_else(|| self.verb_first(at, GIVE, TO))
            .or_else(|| self.let_do(at))
            .or_else(|| self.used_for(at))
            .or_else(|| self.tool(at))
    }

    fn longest(&self, section: SectionId, at: usize) -> usize {
        self.reader.list(section).longest(self.reader.words, at)
    }

    /// Matches "do that via writer", "delegate it to the writer", "hand over to a sub-agent".
    fn verb_first(&self, at: usize, verb: SectionId, joint: SectionId) -> Option<Delegation> {
        let n = self.longest(verb, at);
        if n == 0 {
            return None;
        }
        let from = at + n;
        let object = self.longest(OBJECT, from);
        let joints = [from + object].into_iter().chain(from + 1..from + OWN_WORDS);
        joints.filter(|&to| to < self.reader.words.len()).find_map(|to| {
            let n = self.longest(joint, to);
            let agent = (n > 0).then(|| self.agent(to + n))??;
            self.ends(agent.end).then(|| self.agent_does(agent, from, to))
        })
    }

    /// Matches "let the writer handle it", "ask writer to do that".
    fn let_do(&self, at: usize) -> Option<Delegation> {
        let n = self.longest(LET, at);
        let agent = (n > 0).then(|| self.agent(at + n))??;
        let to = agent.end + self.longest(TO_DO, agent.end);
        let verb = self.longest(DO, to);
        let end = to + verb + self.longest(OBJECT, to + verb);
        if verb > 0 && end > to + verb && self.ends(end) {
            return Some(self.agent_does(agent, end, end));
        }
        // In "ask the writer to draft the update", the task is the text after "to".
        let own = to > agent.end && to < self.reader.words.len();
        own.then(|| self.agent_does(agent, to, self.reader.words.len()))
    }

    /// Matches "use the writer for that".
    fn used_for(&self, at: usize) -> Option<Delegation> {
        let n = self.longest(USE, at);
        let agent = (n > 0).then(|| self.agent(at + n))??;
        let joint = self.longest(FOR, agent.end);
        let from = agent.end + joint;
        let to = from + self.longest(OBJECT, from);
        (joint > 0 && to > from && self.ends(to)).then(|| self.agent_does(agent, from, to))
    }

    /// Matches "@writer do that", "@writer, draft the update".
    fn spoken_to(&self, at: usize) -> Option<Delegation> {
        let words = self.reader.words;
        if self.reader.message.folded(words.get(at)?) != "@" {
            return None;
        }
        let end = self.agent_named(at + 1)?;
        let from = skip(&[self.reader.list(BEFORE), self.reader.list(AROUND)], words, end.end).max(end.end);
        let verb = self.longest(DO, from);
        let object = self.longest(OBJECT, from + verb);
        if from >= words.len() {
            return None;
        }
        if object > 0 && self.ends(from + verb + object) {
            return Some(self.agent_does(end, from, from));
        }
        Some(self.agent_does(end, from, words.len()))
    }

    /// Matches "retry the weather lookup", "run weather for Swansea".
    fn tool(&self, at: usize) -> Option<Delegation> {
        let n = self.longest(RUN, at);
        if n == 0 {
            return None;
        }
        let from = at + n + self.longest(ARTICLE, at + n);
        let (name, end) = self.name(from, self.policy.tools.keys())?;
        let end = end + self.longest(TOOL, end);
        if self.ends(end) {
            return Some(Delegation::Tool { name: name.into(), rest: String::new() });
        }
        let rest = self.reader.message.clause(end, self.reader.words.len()).to_string();
        (self.reader.words[end - 1].after == Gap::Space).then(|| Delegation::Tool { name: name.into(), rest })
    }

    fn agent_does(&self, agent: NamedAgent<'_>, from: usize, to: usize) -> Delegation {
        let pointing =
            skip(&[self.reader.list(OBJECT), self.reader.list(AROUND)], self.reader.words, from) >= to;
        let about = self.reader.message.clause(from, to);
        Delegation::Agent {
            name: agent.name.map(ToString::to_string),
            about: (!pointing && !about.is_empty()).then(|| about.to_string()),
        }
    }

    /// Matches an agent by name, or "a sub-agent", with an article before and "agent" after it.
    fn agent(&self, at: usize) -> Option<NamedAgent<'m>> {
        let words = self.reader.words;
        let at = at + self.longest(ARTICLE, at);
        let mention = words.get(at).is_some_and(|word| self.reader.message.folded(word) == "@");
        let named = self.agent_named(at + usize::from(mention));
        named.or_else(|| {
            let n = self.longest(AGENT, at);
            (n > 0 && !self.policy.agents.is_empty()).then_some(NamedAgent { name: None, end: at + n })
        })
    }

    fn agent_named(&self, at: usize) -> Option<NamedAgent<'m>> {
        let (name, end) = self.name(at, self.policy.agents.keys())?;
        Some(NamedAgent { name: Some(name), end: end + self.longest(AGENT, end) })
    }

    /// Returns the longest of these names at this position. `weather_lookup` matches "weather lookup".
    fn name(&self, at: usize, names: impl Iterator<Item = &'m String>) -> Option<(&'m str, usize)> {
        let message = self.reader.message;
        let here = |name: &&String| {
            let spoken = name.replace(['_', '.', '-', '/'], " ");
            let spoken = Words::of(&spoken);
            let there = self.reader.words.get(at..at + spoken.all().len())?;
            let mut both = spoken.all().iter().zip(there);
            both.all(|(a, b)| spoken.folded(a) == message.folded(b) && !b.quoted).then_some(there.len())
        };
        let found = names.filter_map(|name| here(&name).filter(|n| *n > 0).map(|n| (n, name)));
        found.max_by_key(|(n, _)| *n).map(|(n, name)| (name.as_str(), at + n))
    }

    /// Returns true if only polite words follow in this clause.
    fn ends(&self, at: usize) -> bool {
        let words = self.reader.words;
        let end = skip(&[self.reader.list(AROUND)], words, at).max(at);
        end >= words.len()
            || (end > 0 && words[end - 1].after > Gap::Space)
            || self.reader.begins_clause(end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::call::{Agent, Tool};

    fn policy() -> Policy {
        let mut policy = Policy::default();
        for name in ["writer", "deep-research"] {
            policy.agents.insert(name.into(), Agent::default());
        }
        for name in ["weather_lookup", "weather"] {
            policy.tools.insert(name.into(), Tool::default());
        }
        policy
    }

    fn read(text: &str) -> Option<Delegation> {
        delegation(&Words::of(text), &policy())
    }

    fn agent(name: Option<&str>, about: Option<&str>) -> Option<Delegation> {
        Some(Delegation::Agent { name: name.map(Into::into), about: about.map(Into::into) })
    }

    #[test]
    fn the_anchors_task_is_handed_over() {
        for (text, name) in [
            ("do that via sub-agent", None),
            ("Do that via a subagent, please.", None),
            ("please run this through another agent", None),
            ("delegate that to writer", Some("writer")),
            ("Delegate it to the writer agent.", Some("writer")),
            ("ok, hand it over to @writer", Some("writer")),
            ("can you pass this on to deep research?", Some("deep-research")),
            ("could you please assign that to the writer", Some("writer")),
            ("let the writer handle it", Some("writer")),
            ("ask writer to do that", Some("writer")),
            ("use the writer for that", Some("writer")),
            ("@writer please do that", Some("writer")),
            ("hand over to writer", Some("writer")),
            ("Great. Now delegate that to writer and thanks", Some("writer")),
            ("gib das an writer weiter", Some("writer")),
            ("mach das über einen Subagenten", None),
        ] {
            assert_eq!(read(text), agent(name, None), "{text}");
        }
    }

    #[test]
    fn words_of_its_own_are_a_task_of_their_own() {
        for (text, about) in [
            ("delegate the partner update to writer", "the partner update"),
            ("@writer draft the release notes", "draft the release notes"),
            ("ask the writer to draft the release notes", "draft the release notes"),
        ] {
            assert_eq!(read(text), agent(Some("writer"), Some(about)), "{text}");
        }
    }

    #[test]
    fn tools_are_named() {
        for (text, name, rest) in [
            ("retry weather lookup", "weather_lookup", ""),
            ("retry the weather lookup please", "weather_lookup", ""),
            ("run weather", "weather", ""),
            ("use the weather tool for Swansea", "weather", "for Swansea"),
        ] {
            let expected = Delegation::Tool { name: name.into(), rest: rest.into() };
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn somebody_unknown_may_be_named() {
        for (text, name) in [
            ("delegate that to writer", Some("writer")),
            ("please hand it over to the release bot, thanks", Some("the release bot")),
            ("could you delegate this to @writer", Some("writer")),
            ("delegiere das an writer", Some("writer")),
            ("Bitte das an writer delegieren", Some("writer")),
            ("kannst du das an writer übergeben?", Some("writer")),
            ("delegate the login to the identity provider", None),
            ("pass it to the server", None),
            ("hand it over to the parser, then wait for the crash", None),
            ("he said \"delegate that to writer\"", None),
            ("delegation fails", None),
        ] {
            assert_eq!(handed_to(&Words::of(text)).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn nothing_is_handed_over() {
        for text in [
            "do that",
            "don't delegate that to writer",
            "should I delegate that to writer?",
            "delegate that to bob",
            "delegate that to writer's block",
            "he said \"delegate that to writer\"",
            "> delegate that to writer",
            "the writer does that",
            "writer",
            "via sub-agent",
            "what is the weather like?",
            "the weather tool is broken",
            "send it to Bob",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        let nobody = Policy::default();
        assert_eq!(delegation(&Words::of("do that via sub-agent"), &nobody), None, "there are no agents");
    }
}
