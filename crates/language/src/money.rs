//! Amounts of money: "$1,250", "100 dollars", "five hundred bucks", "2k", "1.000 €".
//!
//! A number with a currency before or behind it; without one only where the whole message is the amount. A currency is
//! known by its ISO 4217 code, its sign, or its names; the value has the code.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::echo::Echo;
use super::embedded::{self, Candidate};
use super::languages::Languages;
use super::lexicon::{ANSWERS, Lexicon, Section, SectionId, VOCABULARY, skip};
use super::numeral::{Decimal, Numerals};
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, Money, NoMatch, Value, remainder, section};
use crate::read::AnswerReader;

pub(crate) const LEAD: SectionId = section("money.lead");
const NUMBER_LEAD: SectionId = section("number.lead");
const AFTER: [SectionId; 4] = [section("tail"), section("filler"), section("thanks"), section("money.tail")];
const CENT: SectionId = section("money.cent");
const AND: SectionId = section("number.and");
/// Names of currencies, each with its number in ISO 4217.
const CURRENCY: SectionId = section("money.currency");
/// The codes of those numbers.
const CODES: [(i64, &str); 49] = [
    (840, "USD"),
    (978, "EUR"),
    (826, "GBP"),
    (392, "JPY"),
    (156, "CNY"),
    (356, "INR"),
    (756, "CHF"),
    (124, "CAD"),
    (36, "AUD"),
    (554, "NZD"),
    (752, "SEK"),
    (578, "NOK"),
    (208, "DKK"),
    (985, "PLN"),
    (986, "BRL"),
    (484, "MXN"),
    (458, "MYR"),
    (682, "SAR"),
    (634, "QAR"),
    (364, "IRR"),
    (414, "KWD"),
    (784, "AED"),
    (818, "EGP"),
    (422, "LBP"),
    (376, "ILS"),
    (410, "KRW"),
    (764, "THB"),
    (643, "RUB"),
    (980, "UAH"),
    (949, "TRY"),
    (710, "ZAR"),
    (203, "CZK"),
    (348, "HUF"),
    (946, "RON"),
    (975, "BGN"),
    (702, "SGD"),
    (344, "HKD"),
    (608, "PHP"),
    (360, "IDR"),
    (704, "VND"),
    (496, "MNT"),
    (116, "KHR"),
    (981, "GEL"),
    (586, "PKR"),
    (901, "TWD"),
    (566, "NGN"),
    (404, "KES"),
    (504, "MAD"),
    (352, "ISK"),
];

/// Reads the amounts of a message.
pub(crate) struct Reader<'r> {
    lexicon: &'static Lexicon,
    message: &'r Words,
    numerals: Numerals<'r>,
    echo: Echo<'r>,
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        remainder::read(self.lexicon, self.message, |words| self.whole(words))
    }

    /// The amounts of a currency.
    fn values(&self) -> Vec<Candidate> {
        let words = self.message.all();
        embedded::along(words, |at| {
            let (money, next) = self.amount(words, at).filter(|(money, _)| money.currency.is_some())?;
            Some((next, Some(Candidate { found: Found::of(Value::Money(money), &words[at..next]), fit: 0 })))
        })
    }
}

impl<'r> Reader<'r> {
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'r Words, context: &'r Context<'_>) -> Self {
        let echo = Echo::of(lexicon, message, context.question());
        Self { lexicon, message, numerals: Numerals::of(lexicon, message), echo }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The amount these words are, if they are nothing else.
    fn whole(&self, words: &[Word]) -> Option<Found> {
        if words.last().is_some_and(|w| w.after == Gap::Question) && words.len() < 3 {
            return None;
        }
        let mut from = 0;
        while self.amount(words, from).is_none() {
            match [LEAD, NUMBER_LEAD].map(|id| self.list(id).longest(words, from)).into_iter().max()? {
                0 => from += Some(self.echo.longest(words, from)).filter(|n| *n > 0)?,
                n => from += n,
            }
        }
        let (money, next) = self.amount(words, from)?;
        let mut end = next;
        while words.get(end).is_some() && self.echo.longest(words, end) > 0 {
            end += self.echo.longest(words, end);
        }
        let ends = |at| skip(&AFTER.map(|id| self.list(id)), words, at) == words.len();
        (ends(next) || ends(end)).then(|| Found::of(Value::Money(money), &words[from..next]))
    }

    /// The amount that begins at `at`, and where it ends.
    fn amount(&self, words: &[Word], at: usize) -> Option<(Money, usize)> {
        let word = words.get(at)?;
        if let Some(money) = self.in_one_word(word) {
            return Some((money, at + 1));
        }
        let (before, from) = currency(self.message.languages(), words, at)
            .map_or((None, at), |(code, next)| (Some(code), next));
        let (number, next) = self.numerals.read(words, from).filter(|(number, _)| !number.is_minus())?;
        if self.numerals.is_negative(&words[at]) || !self.numerals.is_all(words, from, next) {
            return None;
        }
        let spaced = words[next - 1].after == Gap::Space;
        let behind = currency(self.message.languages(), words, next).filter(|_| spaced && before.is_none());
        if before.is_none() && behind.is_none() && spaced {
            let cents = self.list(CENT).longest(words, next);
            if cents > 0 {
                return Some((money(number.hundredths()?, None), next + cents));
            }
        }
        let (code, end) = behind.map_or((before, next), |(code, next)| (Some(code), next));
        let (number, end) = self.with_cents(words, number, end, code.is_some()).unwrap_or((number, end));
        Some((money(number, code), end))
    }

    /// `50EUR`, `USD3.14`: a code and an amount without a blank.
    fn in_one_word(&self, word: &Word) -> Option<Money> {
        let folded = self.message.folded(word);
        let letters = |c: char| c.is_alphabetic();
        let code = folded.trim_start_matches(|c| !letters(c)).trim_end_matches(|c| !letters(c));
        let amount = folded.strip_prefix(code).or_else(|| folded.strip_suffix(code))?;
        if code.is_empty() || amount.is_empty() || self.numerals.is_negative(word) {
            return None;
        }
        let mut named = self.message.languages().lexicons(&ANSWERS);
        let number = named.find_map(|lexicon| lexicon.section(CURRENCY).counts(VOCABULARY.id(code)))?;
        let (_, code) = CODES.iter().find(|(known, _)| u64::try_from(*known) == Ok(number))?;
        Some(money(self.numerals.written(amount)?, Some(code)))
    }

    /// "ten dollars and fifty cents".
    fn with_cents(
        &self,
        words: &[Word],
        number: Decimal,
        at: usize,
        named: bool,
    ) -> Option<(Decimal, usize)> {
        let from = at + self.list(AND).longest(words, at);
        let (cents, next) = self.numerals.read(words, from).filter(|_| named && at > 0)?;
        let said = self.list(CENT).longest(words, next);
        let sum = number.plus(cents.hundredths()?)?;
        (said > 0 && words[at - 1].after == Gap::Space).then_some((sum, next + said))
    }
}

/// Reads the amount that begins at a word, with or without a currency, in whichever language says most; each writes its own
/// decimals. Returns where it ends.
///
/// # Examples
///
/// ```
/// use throughline_language::{Words, amount};
///
/// let (money, end) = amount(&Words::of("under 150 euros"), 1).unwrap();
/// assert_eq!((money.amount.as_str(), money.currency.as_deref(), end), ("150", Some("EUR"), 3));
/// let (money, _) = amount(&Words::of("von 90,50 Euro"), 1).unwrap();
/// assert_eq!(money.amount, "90.5");
/// ```
#[must_use]
pub fn amount(message: &Words, at: usize) -> Option<(Money, usize)> {
    let context = Context::default();
    let read = |lexicon| {
        let numerals = Numerals::as_written_in(lexicon, message);
        Reader { numerals, ..Reader::of(lexicon, message, &context) }.amount(message.all(), at)
    };
    // Of readings of one length the first language's is meant: 1,200 is more than 1 in English.
    let all = message.languages().lexicons(&ANSWERS).filter_map(read);
    all.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn money(amount: Decimal, currency: Option<&str>) -> Money {
    Money { amount: amount.to_string(), currency: currency.map(ToString::to_string) }
}

/// The currency that is named at `at` in any language, by its longest name, and where the name ends.
fn currency(languages: Languages, words: &[Word], at: usize) -> Option<(&'static str, usize)> {
    let named =
        languages.lexicons(&ANSWERS).filter_map(|lexicon| lexicon.section(CURRENCY).valued(words, at));
    let (number, next) = named.max_by_key(|(_, next)| *next)?;
    CODES.iter().find(|(known, _)| *known == number).map(|(_, code)| (*code, next))
}

#[cfg(test)]
mod tests {
    use crate::{Context, Expected, Languages, Money, Value, Words};

    fn read(language: &str, asked: &str, text: &str) -> Option<(String, Option<String>)> {
        let message = Words::new(text, Languages::preferring(language));
        match crate::read(&Expected::Money, &message, &Context::default().to(asked)).ok()?.value {
            Value::Money(Money { amount, currency }) => Some((amount, currency)),
            _ => None,
        }
    }

    use alloc::string::String;

    #[test]
    fn amounts() {
        for (language, text, amount, currency) in [
            ("en", "$1,250", "1250", "USD"),
            ("en", "100 dollars", "100", "USD"),
            ("en", "five hundred bucks", "500", "USD"),
            ("en", "50 euros", "50", "EUR"),
            ("en", "€3.50", "3.5", "EUR"),
            ("en", "EUR 20", "20", "EUR"),
            ("en", "2k", "2000", ""),
            ("en", "five hundred", "500", ""),
            ("en", "$1.5 million", "1500000", "USD"),
            ("en", "40 Canadian dollars", "40", "CAD"),
            ("en", "USD3.14", "3.14", "USD"),
            ("en", "115usd", "115", "USD"),
            ("en", "20Rs", "20", "INR"),
            ("en", "ten shekels", "10", "ILS"),
            ("de", "1.250EUR", "1250", "EUR"),
            ("de", "50eur bitte", "50", "EUR"),
            ("en", "ten dollars and fifty cents", "10.5", "USD"),
            ("en", "99 cents", "0.99", ""),
            ("en", "Please transfer 880 bucks", "880", "USD"),
            ("en", "I'd like to give her 1,150 bucks.", "1150", "USD"),
            ("en", "My budget is £300 per night", "300", "GBP"),
            ("de", "1.000 €", "1000", "EUR"),
            ("de", "12,50 Euro", "12.5", "EUR"),
            ("de", "fünfhundert Franken, bitte", "500", "CHF"),
            ("de-CH", "CHF 20", "20", "CHF"),
        ] {
            let found = read(language, "", text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.0.as_str(), found.1.as_deref().unwrap_or("")), (amount, currency), "{text}");
        }
        let found = read("en", "How much do you want to transfer?", "Transfer $520 to Xiaoxue.");
        assert_eq!(found.unwrap().0, "520");
    }

    #[test]
    fn near_misses() {
        for text in [
            "5 people",
            "$5 or $10",
            "-$5",
            "at 5 pm",
            "how much is 100 dollars in euros?",
            "find me a hotel for $200",
            "dollars",
            "$",
            "the 5th",
            "thanks",
            "I paid the bill with the card that ends in 20 and left",
        ] {
            assert_eq!(read("en", "", text), None, "{text}");
        }
    }
}
