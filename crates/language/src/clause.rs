//! A small grammar of clauses that say yes or no.
//!
//! Every word of a clause plays a role: somebody, a wish, an act, a thing, praise or blame, a denial, a time. What the clause
//! says follows from the roles that are in it and from the number of its denials, whatever their order; so the grammar is the
//! same for every language, and a language adds words. A word without a role leaves the clause unread.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::Cell;

use super::lexicon::{Cover, Lexicon, SectionId, Sections, WordId};
use super::section;
use super::words::{Gap, MOST, Word};

/// A statement about what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Wants it: "I'd love to see it".
    Wants,
    /// Has it done: "please get it going".
    Does,
    /// Approves of it: "that wouldn't bother me".
    Approves,
    /// Does not want it, or not now: "I don't need a reservation at the moment".
    Refuses,
    /// Finds it wrong: "that isn't right".
    Rejects,
    /// Leaves it for later: "let's do that later".
    Defers,
    /// Wants nothing more: "that will be all I need".
    Ends,
    /// Praises or thanks who helped: "your help is greatly appreciated".
    Thanks,
}

/// The roles, in the order in which they win among entries of the same length.
const ROLES: [(SectionId, u32); 26] = [
    (section("role.past"), PAST),
    (section("veto.not"), NOT),
    (section("role.later"), LATER),
    (section("role.maybe"), MAYBE),
    (section("role.hold"), HOLD),
    (section("role.now"), NOW),
    (section("role.all"), ALL),
    (section("role.set"), SET),
    (section("role.me"), ME),
    (section("role.you"), YOU),
    (section("role.praise"), HELPER | GOOD),
    (section("role.been"), BEEN),
    (section("role.helper"), HELPER),
    (section("role.thank"), THANK),
    (section("role.want"), WANT),
    (section("role.go"), GO),
    (section("role.bad"), BAD),
    (section("role.right"), GOOD | IT),
    (section("role.good"), GOOD),
    (section("role.act_it"), ACT | IT),
    (section("role.act"), ACT),
    (section("role.it"), IT),
    (section("role.named"), NAMED),
    (section("role.more"), MORE),
    (section("role.anything"), ANYTHING),
    (section("role.be"), BE),
];
const LIGHT: SectionId = section("role.light");
const YES: SectionId = section("yes.word");
const ASKS: SectionId = section("tell");
/// Words that no clause begins with.
const BEFORE: [SectionId; 4] = [YES, section("no.word"), JOINER, section("filler")];
const ADDS: SectionId = section("adds");
const ASKS_TO: SectionId = section("asks_to");
/// Begin what is asked for, behind thanks.
const WANTS_MORE: [SectionId; 4] = [ASKS_TO, ASKS, section("question.open"), section("please")];
const SHALL: SectionId = section("role.shall");
const FOR: SectionId = section("role.for");
const JOINER: SectionId = section("joiner");

const NOT: u32 = 1;
const LATER: u32 = 1 << 1;
const MAYBE: u32 = 1 << 2;
const HOLD: u32 = 1 << 3;
const NOW: u32 = 1 << 4;
const ALL: u32 = 1 << 5;
const SET: u32 = 1 << 6;
const ME: u32 = 1 << 7;
const YOU: u32 = 1 << 8;
const HELPER: u32 = 1 << 9;
const THANK: u32 = 1 << 10;
const WANT: u32 = 1 << 11;
const GO: u32 = 1 << 12;
const BAD: u32 = 1 << 13;
const GOOD: u32 = 1 << 14;
const ACT: u32 = 1 << 15;
const IT: u32 = 1 << 16;
const MORE: u32 = 1 << 17;
const ANYTHING: u32 = 1 << 18;
const BE: u32 = 1 << 19;
const ECHO: u32 = 1 << 20;
const PAST: u32 = 1 << 21;
const NAMED: u32 = 1 << 22;
const BEEN: u32 = 1 << 23;

/// Sections of which a word with a role begins one.
const ANY_ROLE: Sections = {
    let (mut ids, mut at) = ([LIGHT; ROLES.len() + 1], 0);
    while at < ROLES.len() {
        ids[at] = ROLES[at].0;
        at += 1;
    }
    Sections::of(&ids)
};

/// A clause of more words is a sentence with more in it than a yes or a no.
const LONGEST: usize = 16;

/// The most words of a remark.
const REMARK: usize = 10;

/// The one that goes first where both a list and a clause fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A clause counts as three phrases.
    Lists,
    /// A clause counts as one phrase: for what lists contradict each other in.
    Clauses,
}

/// Covers words with phrases of sections and, where those leave a gap, with clauses. `place` is the number under which a
/// clause counts, if it does.
pub(crate) fn cover<const N: usize>(
    lexicon: &'static Lexicon,
    sections: &[SectionId; N],
    words: &[Word],
    place: impl Fn(Says) -> Option<usize> + Copy,
    first: First,
) -> Cover {
    let roles = Roles::of(lexicon, words);
    let list = |id: SectionId| lexicon.section(id);
    // A clause begins behind a mark, a joining word, or a word that belongs to none.
    let begins = |from: usize| {
        let before = from.checked_sub(1);
        before
            .is_none_or(|at| words[at].after > Gap::Space || BEFORE.iter().any(|id| list(*id).at(words, at)))
    };
    let clauses = |from| {
        let found = begins(from).then(|| roles.clauses(from)).into_iter().flatten();
        found.filter_map(move |(to, says)| Some((to, place(says)?)))
    };
    let cost = match first {
        First::Lists => 3,
        First::Clauses => 1,
    };
    Cover::with(&sections.map(list), Some(list(JOINER)), words, clauses, cost)
}

/// The roles of the longest entry at a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Nobody has asked yet.
    Unread,
    /// No entry begins there.
    None,
    /// An entry of so many words has these roles.
    Plays(u32, usize),
}

/// The roles at each word of a message.
struct Roles<'r> {
    lexicon: &'static Lexicon,
    words: &'r [Word],
    /// The roles of the longest entry at each word and the number of its words, where they were asked for.
    at: Vec<Cell<Role>>,
}

impl<'r> Roles<'r> {
    fn of(lexicon: &'static Lexicon, words: &'r [Word]) -> Self {
        let words = &words[..words.len().min(MOST)];
        Self { lexicon, words, at: vec![Cell::new(Role::Unread); words.len()] }
    }

    /// The roles at a word and the number of words they take; `None` where there are none.
    fn at(&self, at: usize) -> Option<(u32, usize)> {
        let place = self.at.get(at)?;
        if place.get() == Role::Unread {
            place.set(
                role(self.lexicon, self.words, at)
                    .map_or(Role::None, |(roles, length)| Role::Plays(roles, length)),
            );
        }
        match place.get() {
            Role::Plays(roles, length) => Some((roles, length)),
            Role::None | Role::Unread => None,
        }
    }

    /// The statements of the clauses that begin at a word, each with the word behind it. A clause ends where a mark or a joining word
    /// divides.
    fn clauses(&self, from: usize) -> impl Iterator<Item = (usize, Says)> {
        // "Is my order here" asks, "sounds good" does not.
        let asks = self.at(from).is_none_or(|(role, _)| role == BE)
            && self.lexicon.section(ASKS).at(self.words, from);
        let says_yes = self.lexicon.section(YES).at(self.words, from);
        let mut open = (!asks && !says_yes).then(|| Clause { to: from, ..Clause::default() });
        core::iter::from_fn(move || {
            loop {
                let clause = open.as_mut()?;
                if clause.to >= self.words.len().min(from + LONGEST) || !self.read(clause) {
                    open = None;
                    return None;
                }
                let (to, last) = (clause.to, &self.words[clause.to - 1]);
                let found = clause.says().map(|says| (to, says));
                let list = |id: SectionId| self.lexicon.section(id).at(self.words, to);
                // "I'd like the table for two": values follow what was asked about.
                let adds = clause.has(ECHO) && list(ADDS);
                let joined = to >= self.words.len() || list(JOINER) || adds;
                let asks = last.after == Gap::Question;
                if last.after > Gap::Space {
                    open = None;
                }
                match found {
                    Some(found) if !asks && (last.after > Gap::Space || joined) => return Some(found),
                    _ => {}
                }
            }
        })
    }

    /// Reads the next entry into a clause. Returns false where a word plays no role.
    fn read(&self, clause: &mut Clause) -> bool {
        let at = clause.to;
        let list = |id| self.lexicon.section(id);
        let (roles, length) = match self.at(at) {
            Some(known) => known,
            None if clause.thanks_for => (0, 1),
            None => return false,
        };
        // What somebody is thanked for may be any thing or deed, but no question.
        let (roles, asks) = match clause.thanks_for {
            true => (roles & (WANT | MORE | NOT), WANTS_MORE.iter().any(|id| list(*id).at(self.words, at))),
            false => (roles, false),
        };
        if asks {
            return false;
        }
        clause.thanks_for |= clause.roles & THANK != 0 && list(FOR).at(self.words, at);
        // "All I need" ends, "I need all" wants.
        clause.ends |= roles & ALL != 0 && clause.roles & WANT == 0;
        clause.roles |= roles;
        clause.denials += u32::from(roles & NOT != 0);
        clause.to = at + length;
        let named = |at: usize| list(FOR).at(self.words, at);
        clause.thanks_for |= roles & THANK != 0 && (at + 1..clause.to).any(named);
        !self.words[at..clause.to].iter().any(|word| word.quoted)
            && self.words[at..clause.to - 1].iter().all(|word| word.after == Gap::Space)
    }
}

/// The roles of the longest entry at a word.
fn role(lexicon: &'static Lexicon, words: &[Word], at: usize) -> Option<(u32, usize)> {
    if words[at].id == WordId::ECHO {
        return Some((ECHO, 1));
    }
    if !lexicon.may_begin(&ANY_ROLE, words, at) {
        return None;
    }
    let longest = |id| lexicon.section(id).longest(words, at);
    let none = (0, longest(LIGHT));
    let best = ROLES.iter().fold(none, |best, (id, role)| {
        let length = longest(*id);
        if length > best.1 || length == best.1 && best.0 == 0 { (*role, length) } else { best }
    });
    (best.1 > 0).then_some(best)
}

/// True if a clause tells of what somebody will do, or praises a thing, whatever it is: "I'll check it out", "that song sounds
/// great". Beside thanks it leaves nothing to be done.
pub(crate) fn remarks(lexicon: &'static Lexicon, words: &[Word]) -> bool {
    let asks = |word: &Word| word.digit || word.quoted || word.after == Gap::Question;
    if words.len() > REMARK || words.iter().any(asks) {
        return false;
    }
    let roles = Roles::of(lexicon, words);
    let list = |id: SectionId, at| lexicon.section(id).at(words, at);
    let known = |at: usize| roles.at(at).map_or(0, |(role, _)| role);
    let all = (0..words.len()).fold(0, |all, at| all | known(at));
    if all & (NOT | BAD | WANT | MORE | MAYBE) != 0 {
        return false;
    }
    let from = lexicon.section(JOINER).longest(words, 0);
    let will = list(SHALL, from);
    let praises = (from..words.len()).rev().find(|at| known(*at) & GOOD != 0).is_some_and(|good| {
        let ends = known(good) != 0 && roles.at(good).is_some_and(|(_, length)| good + length == words.len());
        ends && (from + 1..good).any(|at| known(at) & BE != 0) && all & (YOU | ME) == 0
    });
    !list(ASKS, from) && !list(ASKS_TO, from) && (will || praises)
}

/// A clause, as far as it is read.
#[derive(Clone, Copy, Debug, Default)]
struct Clause {
    to: usize,
    roles: u32,
    denials: u32,
    /// "Thanks for …": what follows is what somebody is thanked for.
    thanks_for: bool,
    /// "All" stands before what is wanted.
    ends: bool,
}

impl Clause {
    fn has(self, roles: u32) -> bool {
        self.roles & roles != 0
    }

    fn lacks(self, roles: u32) -> bool {
        !self.has(roles)
    }

    /// The meaning of the roles; `None` if they say nothing of what was asked.
    fn says(self) -> Option<Says> {
        if self.has(PAST) {
            return None;
        }
        let denied = match self.denials {
            0 => false,
            1 => true,
            _ => return None,
        };
        self.ends(denied)
            .or_else(|| self.thanks(denied))
            .or_else(|| self.defers(denied))
            .or_else(|| self.wants(denied))
            .or_else(|| self.acts(denied))
            .or_else(|| self.judges(denied))
            .or_else(|| {
                (denied && self.has(ECHO | NOW) && self.lacks(YOU | MAYBE | HOLD | ALL))
                    .then_some(Says::Refuses)
            })
    }

    fn thanks(self, denied: bool) -> Option<Says> {
        let praised = self.has(HELPER) && self.has(GOOD | THANK)
            || self.has(YOU) && self.has(HELPER) && self.has(BEEN)
            || self.has(YOU) && self.has(GOOD) && self.lacks(IT | NAMED | ALL)
            || self.has(THANK) && (self.thanks_for || self.lacks(GOOD));
        let free = self.lacks(WANT | MORE | HOLD | LATER | GO | MAYBE | ECHO | ACT | NAMED);
        (praised && !denied && free).then_some(Says::Thanks)
    }

    fn ends(self, denied: bool) -> Option<Says> {
        let acts = self.has(ACT | GO | HOLD | LATER | ECHO | MAYBE | NAMED);
        let none_more = denied
            && (self.has(MORE) || self.has(WANT) && self.has(HELPER | ANYTHING))
            && self.lacks(BAD | GOOD);
        let all =
            !denied && self.ends && self.has(IT | WANT | NOW | HELPER) && self.lacks(GOOD | BAD | MORE | YOU);
        let set = !denied && self.has(SET) && self.has(ME | ALL) && self.lacks(WANT | IT | MORE);
        (!acts && (none_more || all || set)).then_some(Says::Ends)
    }

    fn defers(self, denied: bool) -> Option<Says> {
        let puts_off = self.has(LATER | HOLD)
            && (self.has(ME | ACT | IT | MAYBE | ECHO) || self.roles == LATER)
            && self.lacks(GOOD | BAD | GO | YOU | MORE | NAMED);
        (puts_off && !denied).then_some(Says::Defers)
    }

    fn wants(self, denied: bool) -> Option<Says> {
        if self.lacks(WANT) || self.has(YOU | MAYBE | MORE | HELPER) {
            return None;
        }
        match (denied, self.has(BAD), self.has(GOOD)) {
            (true, false, false) if self.has(ECHO) || self.lacks(NAMED) => Some(Says::Refuses),
            (false, false, _) if self.has(ECHO | IT) && self.lacks(ALL | LATER | HOLD | SET | NAMED) => {
                Some(Says::Wants)
            }
            _ => None,
        }
    }

    fn acts(self, denied: bool) -> Option<Says> {
        if !denied && self.has(GO) && self.lacks(WANT | MAYBE | HELPER | BAD | HOLD | LATER | ANYTHING) {
            return Some(Says::Does);
        }
        if self.has(WANT | MAYBE | MORE | HELPER | GOOD | BAD | ALL) || denied && self.has(YOU) {
            return None;
        }
        match denied {
            true if self.has(ECHO) || self.has(ACT | GO) && self.lacks(ME | NAMED | ANYTHING) => {
                Some(Says::Refuses)
            }
            false if self.has(ACT) && self.has(ECHO | IT) && self.lacks(ME | YOU | LATER | HOLD | NAMED) => {
                Some(Says::Does)
            }
            _ => None,
        }
    }

    fn judges(self, denied: bool) -> Option<Says> {
        let about = self.has(ECHO | IT | ALL | NAMED);
        // "Sounds good" is about what was asked; "I am good", "too cold" and "not great" may be about anything.
        let open = self.has(ME | YOU | ANYTHING | ACT) || self.has(BAD) != denied;
        let judges = self.has(GOOD | BAD) && self.lacks(MAYBE | MORE | HOLD | LATER | WANT);
        if !judges || open && !about {
            return None;
        }
        match (self.has(GOOD), self.has(BAD), denied) {
            (true, true, _) => None,
            (true, _, false) | (_, true, true) => Some(Says::Approves),
            _ => Some(Says::Rejects),
        }
    }
}

#[cfg(test)]
mod tests;
