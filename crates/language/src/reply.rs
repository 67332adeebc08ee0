//! Replies in a conversation of several people: the message that another one answers.
//!
//! A message answers the earlier one that scores highest, or starts something new when that scores higher. The score is
//! a sum of weights, in whole numbers so that it is the same on every machine.

use alloc::vec::Vec;

use crate::lexicon::{ANSWERS, SectionId, WordId};
use crate::reference::says_what_it_is_about;
use crate::section;
use crate::words::{Gap, Word, Words};

/// A message of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post<'m> {
    /// The name of whoever wrote it; empty for a machine.
    pub by: &'m str,
    /// The name of whom it was sent to, when it was sent to one person.
    pub to: Option<&'m str>,
    /// The text.
    pub text: &'m str,
    /// The time of writing, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// The message that another one is a reply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// To nothing: it starts something new.
    New,
    /// To the message at this place of the conversation.
    To(usize),
}

/// The number of messages that are looked at: an answer is rarely further away from its question.
const WINDOW: usize = 15;
/// The bytes of a message that are read: the addressee and the subject are at its beginning.
const READ: usize = 400;
/// The number of words of a message that are compared.
const COMPARED: usize = 32;

/// The weights of a message as the one that is answered, in hundredths: those of a linear model that was fitted to
/// annotated logs of chat rooms, after whatever did not help had been left out one by one (`docs/evals.md`).
mod weight {
    /// Its author is addressed by name, and it is their newest.
    pub(super) const ADDRESSED: i32 = 582;
    /// Its author is addressed by name, and it is not their newest.
    pub(super) const ADDRESSED_EARLIER: i32 = 500;
    /// Its author is addressed by name, and it is but a word or two.
    pub(super) const ADDRESSED_SHORT: i32 = -80;
    /// Its author is addressed by name, and another has named them since, before they went on.
    pub(super) const ADDRESSED_ANSWERED: i32 = -47;
    /// Its author is named further on.
    pub(super) const NAMED: i32 = 240;
    /// It is the newest that addresses whoever speaks.
    pub(super) const TO_ME: i32 = 123;
    /// It addresses somebody else.
    pub(super) const TO_OTHER: i32 = -160;
    /// It addresses somebody else, and its author is addressed now.
    pub(super) const TO_OTHER_ADDRESSED: i32 = -222;
    /// Whoever speaks, it addresses the same person as this.
    pub(super) const SAME_TO: i32 = 176;
    /// Its author is who the speaker has been talking with; nobody is addressed.
    pub(super) const PARTNER: i32 = 152;
    /// Its author is who the speaker has been talking with, nobody is addressed, and it is their newest.
    pub(super) const PARTNER_NEWEST: i32 = 136;
    /// It asks, and this does not.
    pub(super) const ASKED: i32 = 49;
    /// Somebody else's from before the speaker's own last words.
    pub(super) const BEFORE_OWN: i32 = -163;
    /// The message above, two above, three above: somebody else's, and nobody is addressed.
    pub(super) const ABOVE: [i32; 3] = [167, 128, 97];
    /// A word or two to nobody by name answer somebody else.
    pub(super) const SHORT: i32 = 42;
    /// It only takes something up itself: "ok", "thanks".
    pub(super) const TOOK_UP: i32 = -36;
    /// This takes something up, and it is somebody else's.
    pub(super) const TAKES_UP: i32 = 175;
    /// The speaker's own newest.
    pub(super) const OWN: i32 = 218;
    /// The speaker's own newest, right above or two above.
    pub(super) const OWN_ABOVE: [i32; 2] = [160, 75];
    /// The speaker's own newest, and this goes on: "and …".
    pub(super) const OWN_GOES_ON: i32 = 112;
    /// The speaker's own, but it addresses somebody else than this.
    pub(super) const OWN_TO_OTHER: i32 = -179;
    /// The speaker's own, and they were addressed since.
    pub(super) const OWN_ANSWERED: i32 = -64;
    /// For each minute since it was said, and how many count at most.
    pub(super) const MINUTE: i32 = -33;
    pub(super) const MINUTES: i64 = 10;
    /// For the words both share, by how rare each is; a hundred is one of e times as many messages.
    pub(super) const SHARED: i32 = 70;
    pub(super) const SHARED_MOST: i32 = 400;

    /// The score of starting something new, to begin with. It is lower than it was fitted, for an answer that is taken
    /// for a beginning costs more than the reverse.
    pub(super) const NEW: i32 = -86;
    /// The speaker has said nothing so far.
    pub(super) const NEW_SPEAKER: i32 = 164;
    /// The speaker has said nothing so far, and speaks of themselves.
    pub(super) const NEW_SPEAKER_SELF: i32 = 93;
    /// It greets.
    pub(super) const NEW_GREETS: i32 = 254;
    /// It begins as questions do.
    pub(super) const NEW_ASKS: i32 = 92;
    /// It is a long question.
    pub(super) const NEW_LONG_QUESTION: i32 = 140;
    /// It is a short one.
    pub(super) const NEW_SHORT_QUESTION: i32 = -53;
    /// It names somebody.
    pub(super) const NEW_NAMES: i32 = -162;
    /// Somebody addressed the speaker.
    pub(super) const NEW_ADDRESSED: i32 = -78;
    /// The speaker spoke within this minute.
    pub(super) const NEW_JUST_SPOKE: i32 = -90;
}

/// A question or message of more words is long, of fewer short.
const LONG: usize = 8;
const SHORT_QUESTION: usize = 5;
const SHORT: usize = 4;

const TAKES_UP: SectionId = section("thread.takes_up");
const GOES_ON: SectionId = section("thread.goes_on");
const ASKS: SectionId = section("thread.asks");
const SELF: SectionId = section("thread.self");
const GREETING: SectionId = section("greeting");

/// Finds the message of a conversation, oldest first, that a new one answers; `None` when nobody else has written, so
/// that there is nobody to answer. Only the newest messages are looked at.
///
/// ```
/// use throughline_language::reply::{Post, Reply, reply_to};
///
/// let post = |by, text| Post { by, to: None, text, at_ms: 0 };
/// let log = [post("ana", "how do I mount it?"), post("bob", "the printer is broken")];
/// assert_eq!(reply_to(&log, &post("cleo", "ana: as root")), Some(Reply::To(0)));
/// assert_eq!(reply_to(&log, &post("cleo", "@bob which one?")), Some(Reply::To(1)));
/// ```
#[must_use]
pub fn reply_to(conversation: &[Post<'_>], new: &Post<'_>) -> Option<Reply> {
    let skipped = conversation.len().saturating_sub(WINDOW);
    let window = &conversation[skipped..];
    if window.iter().all(|post| post.by == new.by) {
        return None;
    }
    let mut speakers: Vec<&str> = window.iter().map(|post| post.by).chain([new.by]).collect();
    speakers.sort_unstable();
    speakers.dedup();
    speakers.retain(|speaker| !speaker.is_empty());
    let said: Vec<Line<'_>> = window.iter().map(|post| Line::of(post, &speakers)).collect();
    let mut talk = Talk::new(&said, Line::of(new, &speakers));
    let shared = talk.shared();
    let newest_first = (0..said.len()).rev().map(|k| (talk.answers(k) + shared[k], Some(k)));
    let (_, found) =
        newest_first.fold((talk.starts_anew(), None), |best, next| if next.0 > best.0 { next } else { best });
    Some(found.map_or(Reply::New, |k| Reply::To(skipped + k)))
}

/// A message as it is compared.
struct Line<'m> {
    text: &'m str,
    words: Words,
    by: &'m str,
    at_ms: i64,
    /// Whom it addresses.
    to: Option<&'m str>,
    /// The first word behind the name.
    body: usize,
}

impl<'m> Line<'m> {
    fn of(post: &Post<'m>, speakers: &[&'m str]) -> Self {
        let Post { by, to, at_ms, .. } = *post;
        let text = &post.text[..post.text.floor_char_boundary(READ)];
        let words = Words::of(text);
        let addressed = addressee(text, &words, by, speakers);
        let end = addressed.map_or(0, |(_, end)| end);
        let body = words.all().iter().take_while(|word| word.at < end).count();
        Self { text, by, at_ms, to: addressed.map(|(name, _)| name).or(to), body, words }
    }

    fn body(&self) -> &[Word] {
        &self.words.all()[self.body..]
    }

    fn asks(&self) -> bool {
        self.words.all().iter().any(|word| word.after == Gap::Question)
    }

    /// True if the text behind the name begins with a phrase of this section.
    fn begins(&self, section: SectionId) -> bool {
        self.words.languages().lexicons(&ANSWERS).any(|lexicon| lexicon.section(section).at(self.body(), 0))
    }

    fn short(&self) -> bool {
        self.body().len() < SHORT
    }

    /// True if it names somebody anywhere.
    fn names(&self, name: &str) -> bool {
        self.to == Some(name)
            || name.len() > 2
                && !common(name)
                && self.text.char_indices().any(|(at, _)| {
                    let before = self.text[..at].chars().next_back();
                    !before.is_some_and(of_name) && begins_with(&self.text[at..], name).is_some()
                })
    }
}

/// Whom a text addresses with its first word, and where the name ends: "ana: look", "@ana look", "<@ana> look".
fn addressee<'m>(text: &str, words: &Words, by: &str, speakers: &[&'m str]) -> Option<(&'m str, usize)> {
    let begins = text.trim_start().trim_start_matches(['@', '<']);
    let offset = text.len() - begins.len();
    let named = speakers.iter().filter(|name| **name != by && begins_with(begins, name).is_some());
    let name = named.max_by_key(|name| name.len())?;
    let marked =
        begins[name.len()..].starts_with([':', ',', ';', '>']) || offset > 0 && text[..offset].contains('@');
    // "nice one" is no word to somebody called nice.
    let known = words.all().first().is_some_and(|word| word.id != WordId::UNKNOWN);
    (marked || !known).then_some((*name, offset + name.len()))
}

/// The rest of a text that begins with a name, and not with a longer one.
fn begins_with<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let begins = text.get(..name.len())?;
    let rest = &text[name.len()..];
    (begins.eq_ignore_ascii_case(name) && !rest.starts_with(of_name)).then_some(rest)
}

fn of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '[' | ']' | '\\' | '`' | '^' | '{' | '}' | '|')
}

/// True if a name is a word like any other.
fn common(name: &str) -> bool {
    Words::of(name).all().first().is_some_and(|word| word.id != WordId::UNKNOWN)
}

/// The conversation at the moment of a message.
struct Talk<'t, 'm> {
    said: &'t [Line<'m>],
    new: Line<'m>,
    /// The speaker's own newest.
    own: Option<usize>,
    /// The newest that addresses the speaker.
    to_me: Option<usize>,
    /// The person the speaker has been talking with.
    partner: Option<&'m str>,
    takes_up: bool,
    goes_on: bool,
    asks: bool,
    /// For each line, whether the new one names its author.
    names: Vec<bool>,
}

impl<'t, 'm> Talk<'t, 'm> {
    fn new(said: &'t [Line<'m>], new: Line<'m>) -> Self {
        let own = said.iter().rposition(|line| line.by == new.by);
        let to_me = said.iter().rposition(|line| line.by != new.by && line.names(new.by));
        let addressed = said.iter().rev().filter(|line| line.by == new.by).find_map(|line| line.to);
        Self {
            own,
            to_me,
            partner: addressed.or(to_me.map(|k| said[k].by)),
            takes_up: new.begins(TAKES_UP),
            goes_on: new.begins(GOES_ON),
            asks: new.asks(),
            names: said.iter().map(|line| line.by != new.by && new.names(line.by)).collect(),
            said,
            new,
        }
    }

    /// The score of a line as the one that is answered, without the words it shares.
    fn answers(&self, k: usize) -> i32 {
        let line = &self.said[k];
        let minutes = self.minutes_since(line).clamp(0, weight::MINUTES);
        let mut score = weight::MINUTE * minutes as i32;
        let mut add = |holds: bool, weight: i32| score += if holds { weight } else { 0 };
        add(line.begins(TAKES_UP), weight::TOOK_UP);
        add(self.new.to.is_some() && line.to == self.new.to, weight::SAME_TO);
        if line.by == self.new.by {
            let newest = self.own == Some(k);
            add(newest, weight::OWN);
            add(newest, self.above(k, &weight::OWN_ABOVE));
            add(newest && self.goes_on, weight::OWN_GOES_ON);
            add(self.new.to.is_some() && line.to != self.new.to, weight::OWN_TO_OTHER);
            add(self.to_me.is_some_and(|to_me| to_me > k), weight::OWN_ANSWERED);
            return score;
        }
        let goes_on = self.said[k + 1..].iter().position(|later| later.by == line.by);
        let newest = goes_on.is_none();
        let addressed = self.new.to == Some(line.by);
        if addressed {
            add(true, if newest { weight::ADDRESSED } else { weight::ADDRESSED_EARLIER });
            add(line.short(), weight::ADDRESSED_SHORT);
            let since = &self.said[k + 1..goes_on.map_or(self.said.len(), |next| k + 1 + next)];
            let answered = since.iter().any(|later| later.by != self.new.by && later.names(line.by));
            add(answered, weight::ADDRESSED_ANSWERED);
        } else {
            add(newest && self.names[k], weight::NAMED);
        }
        if line.names(self.new.by) {
            add(self.to_me == Some(k), weight::TO_ME);
        } else if line.to.is_some() {
            add(true, if addressed { weight::TO_OTHER_ADDRESSED } else { weight::TO_OTHER });
        }
        add(self.takes_up, weight::TAKES_UP);
        add(line.asks() && !self.asks, weight::ASKED);
        add(self.own.is_some_and(|own| k < own), weight::BEFORE_OWN);
        if self.new.to.is_none() {
            let partner = self.partner == Some(line.by);
            add(partner, if newest { weight::PARTNER_NEWEST } else { weight::PARTNER });
            add(true, self.above(k, &weight::ABOVE));
            add(self.new.short(), weight::SHORT);
        }
        score
    }

    /// The weight of how far above a line is: the first one is of the line right above.
    fn above(&self, k: usize, weights: &[i32]) -> i32 {
        weights.get(self.said.len() - k - 1).copied().unwrap_or(0)
    }

    fn minutes_since(&self, line: &Line<'_>) -> i64 {
        self.new.at_ms.saturating_sub(line.at_ms) / 60_000
    }

    fn starts_anew(&self) -> i32 {
        let new = &self.new;
        let count = new.body().len();
        let just_spoke = self.own.is_some_and(|own| self.minutes_since(&self.said[own]) == 0);
        let parts = [
            (true, weight::NEW),
            (self.own.is_none(), weight::NEW_SPEAKER),
            (self.own.is_none() && new.begins(SELF), weight::NEW_SPEAKER_SELF),
            (new.begins(GREETING), weight::NEW_GREETS),
            (new.begins(ASKS), weight::NEW_ASKS),
            (self.asks && count >= LONG, weight::NEW_LONG_QUESTION),
            (self.asks && count < SHORT_QUESTION, weight::NEW_SHORT_QUESTION),
            (new.to.is_some() || self.names.contains(&true), weight::NEW_NAMES),
            (self.to_me.is_some(), weight::NEW_ADDRESSED),
            (just_spoke, weight::NEW_JUST_SPOKE),
        ];
        parts.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
    }

    /// For each line, what the words it shares with the new one count.
    fn shared(&mut self) -> Vec<i32> {
        let mut shared = alloc::vec![0; self.said.len()];
        let words = |line: &Line<'_>| -> Vec<Word> {
            let tells = |word: &&Word| says_what_it_is_about(&line.words, word);
            line.body().iter().filter(tells).take(COMPARED).copied().collect()
        };
        let said: Vec<Vec<Word>> = self.said.iter().map(words).collect();
        let mut seen: Vec<&str> = Vec::new();
        for word in words(&self.new) {
            let folded = self.new.words.folded(&word);
            if seen.contains(&folded) || self.said.iter().any(|line| line.by.eq_ignore_ascii_case(folded)) {
                continue;
            }
            seen.push(folded);
            let has = |k: usize| {
                said[k].iter().any(|other| other.id == word.id && self.said[k].words.folded(other) == folded)
            };
            let holding: Vec<usize> = (0..said.len()).filter(|k| has(*k)).collect();
            let rare = LOGARITHM[said.len() + 1] - LOGARITHM[holding.len().max(1)];
            holding.iter().for_each(|k| shared[*k] += rare);
        }
        shared.iter().map(|rare: &i32| (*rare).min(weight::SHARED_MOST) * weight::SHARED / 100).collect()
    }
}

/// The natural logarithm of each number in hundredths; a window has no more.
const LOGARITHM: [i32; WINDOW + 2] =
    [0, 0, 69, 110, 139, 161, 179, 195, 208, 220, 230, 240, 248, 256, 264, 271, 277];

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;
    /// A log: who said what, one line every ten seconds, and a line more.
    fn answered(lines: &[(&str, &str)], by: &str, text: &str) -> Option<Reply> {
        let at = |n: usize| n as i64 * 10_000;
        let lines = lines.iter().enumerate();
        let log: Vec<Post<'_>> =
            lines.clone().map(|(n, (by, text))| Post { by, to: None, text, at_ms: at(n) }).collect();
        reply_to(&log, &Post { by, to: None, text, at_ms: at(lines.len()) })
    }

    const LOG: [(&str, &str); 5] = [
        ("ana", "how do I mount an encrypted partition?"),
        ("bob", "the printer in room two is broken again"),
        ("cleo", "ana: use cryptsetup, then mount it"),
        ("bob", "it says toner low"),
        ("dan", "bob: did you try the other tray"),
    ];

    #[test]
    fn a_name_a_question_and_what_it_is_about() {
        assert_eq!(answered(&LOG, "ana", "cleo: that worked, thanks"), Some(Reply::To(2)));
        assert_eq!(answered(&LOG, "ana", "thanks!"), Some(Reply::To(2)), "who talked to her");
        assert_eq!(answered(&LOG, "bob", "no, which tray?"), Some(Reply::To(4)));
        assert_eq!(answered(&LOG, "cleo", "@bob order toner"), Some(Reply::To(3)));
        assert_eq!(
            answered(&LOG, "eve", "hello, does anyone know how to install the beta on a laptop?"),
            Some(Reply::New)
        );
        assert_eq!(
            answered(&LOG[..3], "cleo", "and add it to the table"),
            Some(Reply::To(2)),
            "their own words go on"
        );
    }

    #[test]
    fn nobody_else_there_is_nobody_answered() {
        assert_eq!(answered(&[("ana", "one"), ("ana", "two")], "ana", "three"), None);
        assert_eq!(answered(&[], "ana", "three"), None);
    }

    proptest! {
        /// A reply is always to one of the newest messages.
        #[test]
        fn only_messages_of_the_window_are_answered(
            lines in prop::collection::vec(("[abé_]{0,3}", "\\PC{0,40}"), 0..24),
            by in "[abé_]{0,3}",
            text in any::<String>(),
            at in any::<i32>(),
        ) {
            let lines: Vec<(&str, &str)> = lines.iter().map(|(by, text)| (by.as_str(), text.as_str())).collect();
            let log: Vec<Post<'_>> =
                lines.iter().map(|(by, text)| Post { by, to: None, text, at_ms: 0 }).collect();
            if let Some(Reply::To(k)) = reply_to(&log, &Post { by: &by, to: None, text: &text, at_ms: at.into() }) {
                prop_assert!(k < log.len() && k + WINDOW >= log.len());
            }
        }
    }
}
