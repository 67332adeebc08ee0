//! Numbers in digits and in words: "1,200", "-3.5", "2k", "twenty five", "half a dozen", "two and a half",
//! "fünfundzwanzig".
//!
//! The values of words are in a language's lists. A language that writes a comma before decimals has a word for it;
//! digits are read as in the likeliest language of the message, whatever language the words are of.
//!
//! The crate `text2num` reads number words of eight languages. Of 92 expressions that are nothing but a number in
//! public test suites it gets 28 right and these lists 61: it knows no "couple", "dozen", "half" or "2k". It also has
//! no offsets, and its languages are code.

use alloc::format;
use alloc::string::String;

use super::lexicon::{ANSWERS, Lexicon, Section, SectionId, VOCABULARY, WordId};
use super::section;
use super::words::{Gap, Word, Words};

const UNITS: SectionId = section("number.word");
const TIMES: SectionId = section("number.times");
const ARTICLE: SectionId = section("number.article");
const HALF: SectionId = section("number.half");
const OF: SectionId = section("number.of");
const AND: SectionId = section("number.and");
const MINUS: SectionId = section("number.minus");
const POINT: SectionId = section("number.point");
const COMMA: SectionId = section("number.comma");
/// Parts of a whole, in the plural ("thirds") and the singular ("third"), each with its number.
const PARTS: SectionId = section("number.parts");
const PART: SectionId = section("number.part");
/// Suffixes that multiply the digits before them: "2k".
const SUFFIX: SectionId = section("number.suffix");
/// Joins the parts of a number that is one word.
const INNER: SectionId = section("number.inner");

/// The most digits a number is read with.
const DIGITS: usize = 18;
/// The longest number that is one word, in bytes.
const LONGEST: usize = 64;

/// A decimal number: `units` divided by ten as often as `scale` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    minus: bool,
    units: u64,
    scale: u32,
}

impl Decimal {
    pub(crate) fn whole(units: u64) -> Self {
        Self { minus: false, units, scale: 0 }.plain()
    }

    /// Without idle zeros behind the point.
    fn plain(mut self) -> Self {
        while self.scale > 0 && self.units.is_multiple_of(10) {
            (self.units, self.scale) = (self.units / 10, self.scale - 1);
        }
        self
    }

    fn times(self, n: u64) -> Option<Self> {
        Some(Self { units: self.units.checked_mul(n)?, ..self }.plain())
    }

    /// A fraction, when it is a decimal of a few digits: three quarters, not two thirds.
    fn part(n: u64, of: u64) -> Option<Self> {
        (0..=6).find_map(|scale| {
            let units = n.checked_mul(10u64.pow(scale))?;
            (of > 0 && units % of == 0).then(|| Self { minus: false, units: units / of, scale })
        })
    }

    /// True if there is nothing behind the point.
    pub(crate) fn is_whole(self) -> bool {
        self.scale == 0
    }

    pub(crate) fn is_minus(self) -> bool {
        self.minus && self.units > 0
    }

    /// This number of hundredths: cents as an amount.
    pub(crate) fn hundredths(self) -> Option<Self> {
        Some(Self { scale: self.scale.checked_add(2)?, ..self }.plain())
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let units = |d: Self| d.units.checked_mul(10u64.checked_pow(scale - d.scale)?);
        Some(Self { minus: self.minus, units: units(self)?.checked_add(units(other)?)?, scale }.plain())
    }

    /// The number, when it is whole and no less than nothing.
    pub(crate) fn count(self) -> Option<u64> {
        (self.scale == 0 && !self.minus).then_some(self.units)
    }
}

impl core::fmt::Display for Decimal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let sign = if self.minus && self.units > 0 { "-" } else { "" };
        let digits = format!("{:0>1$}", self.units, self.scale as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - self.scale as usize);
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

/// The whole number that begins at a word of a message, and where it ends, in whichever language says most.
pub fn count(message: &Words, at: usize) -> Option<(u64, usize)> {
    let read = |lexicon| {
        let (number, end) = Numerals::of(lexicon, message).read(message.all(), at)?;
        Some((number.count()?, end))
    };
    message.languages().lexicons(&ANSWERS).filter_map(read).max_by_key(|(_, end)| *end)
}

/// The number of these digits, so many of them behind the point.
fn decimal(digits: &str, scale: usize) -> Option<Decimal> {
    let too_long = digits.trim_start_matches('0').len() > DIGITS;
    let scale = u32::try_from(scale).ok().filter(|scale| *scale <= 9 && !too_long)?;
    Some(Decimal { minus: false, units: digits.parse().ok()?, scale }.plain())
}

/// Reads the numbers of a message in one language.
#[derive(Clone, Copy)]
pub(crate) struct Numerals<'m> {
    lexicon: &'static Lexicon,
    message: &'m Words,
    /// True if decimals are behind a comma.
    comma: bool,
}

impl<'m> Numerals<'m> {
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'m Words) -> Self {
        let comma = message.languages().lexicons(&ANSWERS).next().is_some_and(|own| own.has(COMMA));
        Self { lexicon, message, comma }
    }

    /// Reads numbers as this language writes them, whatever the message is in otherwise: "bis 90,50" has one word of it.
    pub(crate) fn as_written_in(lexicon: &'static Lexicon, message: &'m Words) -> Self {
        Self { lexicon, message, comma: lexicon.has(COMMA) }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The number that begins at `at`, and where it ends.
    pub(crate) fn read(&self, words: &[Word], at: usize) -> Option<(Decimal, usize)> {
        let signed = at + self.list(MINUS).longest(words, at);
        let first = words.get(signed)?;
        let minus = signed > at || self.is_negative(first);
        let (number, next) = match self.halved(words, signed) {
            Some(half) => half,
            None => {
                let (number, next) = self.magnitude(words, signed)?;
                let spaced = words[next - 1].after == Gap::Space;
                match number.count().filter(|_| spaced).and_then(|n| Some((n, self.parts(words, n, next)?))) {
                    Some((n, of)) => (Decimal::part(n, of)?, next + 1),
                    None => self.mixed(words, number, next).unwrap_or((number, next)),
                }
            }
        };
        let next = next + self.list(OF).longest(words, next);
        Some((Decimal { minus, ..number }, next))
    }

    /// True if a number really ends there in the whole message: not before the "and fifty" of "two hundred and fifty",
    /// where a clause may be cut.
    pub(crate) fn is_all(&self, words: &[Word], from: usize, next: usize) -> bool {
        let all = self.message.all();
        let at = |word: &Word| all.partition_point(|other| other.at < word.at);
        let (Some(first), Some(last)) = (words.get(from), words.get(next - 1)) else { return false };
        self.read(all, at(first)).is_none_or(|(_, end)| end <= at(last) + 1)
    }

    /// True if a sign before the word makes the number negative.
    pub(crate) fn is_negative(&self, word: &Word) -> bool {
        self.behind(word, &['-', '−'])
    }

    /// True if one of these signs is right before a word, and nothing before the sign.
    fn behind(&self, word: &Word, signs: &[char]) -> bool {
        let before = &self.message.text()[..word.at];
        before.strip_suffix(signs).is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
    }

    /// "half", "half a dozen", "half a million", "a quarter".
    fn halved(&self, words: &[Word], at: usize) -> Option<(Decimal, usize)> {
        let article = at + self.list(ARTICLE).longest(words, at);
        if article > at
            && let Some(of) = self.parts(words, 1, article)
        {
            return Some((Decimal::part(1, of)?, article + 1));
        }
        let from = match self.list(HALF).longest(words, at) {
            0 => article + Some(self.list(HALF).longest(words, article)).filter(|n| *n > 0)?,
            n => at + n,
        };
        let half = Decimal { minus: false, units: 5, scale: 1 };
        let times = from + self.list(ARTICLE).longest(words, from);
        match words.get(times).and_then(|word| self.list(TIMES).value(word)) {
            Some(n) => Some((half.times(n)?, times + 1)),
            None => Some((half, from)),
        }
    }

    /// Digits or words, and what multiplies them.
    fn magnitude(&self, words: &[Word], at: usize) -> Option<(Decimal, usize)> {
        let word = words.get(at)?;
        if !word.digit {
            return self.spelled(words, at);
        }
        let (mut number, mut next) = (self.digits(word)?, at + 1);
        let factor = |word| self.list(TIMES).value(word).or_else(|| self.list(SUFFIX).value(word));
        while let Some(n) = words.get(next).and_then(factor)
            && words[next - 1].after == Gap::Space
        {
            (number, next) = (number.times(n)?, next + 1);
        }
        Some((number, next))
    }

    /// Reads what may follow a whole number: "point five", "and a half", "/2".
    fn mixed(&self, words: &[Word], number: Decimal, at: usize) -> Option<(Decimal, usize)> {
        if at == 0 || words[at - 1].after > Gap::Space {
            return None;
        }
        if let Some(word) = words.get(at).filter(|word| word.digit)
            && self.message.text().get(words[at - 1].end..word.at) == Some("/")
            && self.message.text().get(word.end..).is_some_and(|rest| !rest.starts_with('/'))
        {
            return Some((Decimal::part(number.count()?, self.digits(word)?.count()?)?, at + 1));
        }
        let point = self.list(POINT).longest(words, at).max(self.list(COMMA).longest(words, at));
        if point > 0 {
            return self.decimals(words, number, at + point);
        }
        let and = at + Some(self.list(AND).longest(words, at)).filter(|n| *n > 0)?;
        let from = and + self.list(ARTICLE).longest(words, and);
        let half = self.list(HALF).longest(words, from);
        if half > 0 {
            return Some((number.plus(Decimal::part(1, 2)?)?, from + half));
        }
        let (count, next) = if from > and { (Decimal::whole(1), from) } else { self.magnitude(words, and)? };
        let count = count.count()?;
        let of = self.parts(words, count, next)?;
        Some((number.plus(Decimal::part(count, of)?)?, next + 1))
    }

    /// The divisor of so many parts: of "thirds" behind "two". "Twenty fifth" counts no parts.
    fn parts(&self, words: &[Word], count: u64, at: usize) -> Option<u64> {
        self.list(if count == 1 { PART } else { PARTS }).value(words.get(at)?)
    }

    /// "five two" behind a point.
    fn decimals(&self, words: &[Word], number: Decimal, from: usize) -> Option<(Decimal, usize)> {
        let digit = |word: &Word| self.list(UNITS).value(word).filter(|n| *n < 10);
        let digits = words[from..].iter().map_while(digit).take(6);
        let (fraction, scale) = digits.fold((0, 0), |(all, scale), n| (all * 10 + n, scale + 1));
        let fraction = Decimal { minus: false, units: fraction, scale }.plain();
        (scale > 0).then_some(())?;
        Some((number.plus(fraction)?, from + scale as usize))
    }

    /// `12`, `1,200`, `3.50`, `.5`, `2k`.
    fn digits(&self, word: &Word) -> Option<Decimal> {
        let folded = self.message.folded(word);
        let letters = folded.find(|c: char| c.is_alphabetic()).unwrap_or(folded.len());
        let (written, unit) = folded.split_at(letters);
        let (mut digits, fraction) = self.grouped(written)?;
        // ".5": the point is no part of the word.
        let bare = fraction.is_empty() && self.behind(word, &[self.point()]);
        let number = if bare {
            decimal(&digits, digits.len())?
        } else {
            digits.push_str(fraction);
            decimal(&digits, fraction.len())?
        };
        match unit {
            "" => Some(number),
            _ if bare => None,
            unit => number.times(self.list(SUFFIX).counts(VOCABULARY.id(unit))?),
        }
    }

    /// The number a text is that holds nothing else: `12`, `1,200`, `3.50`.
    pub(crate) fn written(&self, text: &str) -> Option<Decimal> {
        let (mut digits, fraction) = self.grouped(text)?;
        digits.push_str(fraction);
        decimal(&digits, fraction.len())
    }

    /// The sign before decimals.
    fn point(&self) -> char {
        if self.comma { ',' } else { '.' }
    }

    /// The digits before the point, without the signs between their groups, and those behind it.
    fn grouped<'w>(&self, written: &'w str) -> Option<(String, &'w str)> {
        let groups = if self.comma { '.' } else { ',' };
        let (whole, fraction) = written.split_once(self.point()).unwrap_or((written, ""));
        let fraction = fraction.trim_end_matches('0');
        let plain = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let grouped = |s: &str| match s.split_once(groups) {
            None => plain(s),
            Some((first, rest)) => {
                first.len() <= 3 && plain(first) && rest.split(groups).all(|g| g.len() == 3 && plain(g))
            }
        };
        let fits = grouped(whole) && plain(fraction) && !whole.is_empty() && !written.ends_with([',', '.']);
        fits.then(|| (whole.chars().filter(|c| *c != groups).collect(), fraction))
    }

    /// "three", "twenty five", "a couple of", "two hundred and fifty", "a thousand".
    fn spelled(&self, words: &[Word], from: usize) -> Option<(Decimal, usize)> {
        // "a couple", but also "eine": an article may be the number itself.
        let article = self.list(ARTICLE).longest(words, from);
        let behind = Some(from + article).filter(|_| article > 0 && words[from].after == Gap::Space);
        behind.and_then(|at| self.sum(words, at)).or_else(|| self.sum(words, from))
    }

    fn sum(&self, words: &[Word], mut at: usize) -> Option<(Decimal, usize)> {
        let (units, times) = (self.list(UNITS), self.list(TIMES));
        let mut sum = Sum::default();
        while let Some(word) = words.get(at) {
            let taken = if let Some(n) = units.value(word) {
                sum.add(n)
            } else if let Some(n) = times.value(word) {
                sum.multiply(n)
            } else if sum.any && sum.small == 0 && self.list(AND).at(words, at) {
                words.get(at + 1).is_some_and(|w| units.value(w).is_some())
            } else {
                !sum.any && self.joined(word, &mut sum)
            };
            if !taken {
                break;
            }
            at += 1;
            if words[at - 1].after > Gap::Space {
                break;
            }
        }
        sum.any.then(|| Some((Decimal::whole(sum.total()?), at)))?
    }

    /// A number that is one word: "zweihundertfünfundzwanzig".
    fn joined(&self, word: &Word, sum: &mut Sum) -> bool {
        let mut rest = self.message.folded(word);
        if rest.len() > LONGEST || !self.lexicon.has(INNER) {
            return false;
        }
        let mut read = Sum::default();
        let inner = |id: WordId| self.list(INNER).counts(id).is_some();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(i, c)| i + c.len_utf8());
            let part = |end: usize| Some(VOCABULARY.id(&rest[..end])).filter(|id| *id != WordId::UNKNOWN);
            let longest = ends.rev().find(|&end| {
                part(end).is_some_and(|id| {
                    if let Some(n) = self.list(UNITS).counts(id) {
                        read.add_joined(n)
                    } else if let Some(n) = self.list(TIMES).counts(id) {
                        read.multiply(n)
                    } else {
                        inner(id) && read.any
                    }
                })
            });
            match longest {
                Some(end) => rest = &rest[end..],
                None => return false,
            }
        }
        *sum = read;
        true
    }
}

/// A number as it is spelled: what was summed up so far.
#[derive(Default)]
struct Sum {
    total: u64,
    group: Option<u64>,
    small: u64,
    any: bool,
}

impl Sum {
    /// "twenty five" adds up; "two three" are two numbers.
    fn add(&mut self, n: u64) -> bool {
        let fits = self.group.is_none_or(|group| {
            group % 100 == 0 && group > 0 || (group % 10 == 0 && (20..100).contains(&self.small) && n < 10)
        });
        fits && self.put(n)
    }

    /// Adds a number of a single word, where ones may come before tens: "fünfundzwanzig".
    fn add_joined(&mut self, n: u64) -> bool {
        self.add(n) || ((1..10).contains(&self.small) && (20..100).contains(&n) && self.put(n))
    }

    fn put(&mut self, n: u64) -> bool {
        let sum = self.group.unwrap_or(0).checked_add(n);
        if sum.is_some() {
            (self.group, self.small, self.any) = (sum, n, true);
        }
        sum.is_some()
    }

    fn multiply(&mut self, n: u64) -> bool {
        // "two hundred hundred" is no number.
        let group = self.group.unwrap_or(1);
        let Some(product) = group.checked_mul(n).filter(|_| n != 100 || group < 100) else { return false };
        if n < 1000 {
            (self.group, self.small) = (Some(product), 0);
        } else if self.group.is_none() && self.total > 0 {
            return false;
        } else if let Some(total) = self.total.checked_add(product) {
            (self.total, self.group, self.small) = (total, None, 0);
        } else {
            return false;
        }
        self.any = true;
        true
    }

    fn total(&self) -> Option<u64> {
        self.total.checked_add(self.group.unwrap_or(0))
    }
}
