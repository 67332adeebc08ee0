//! Plural categories of whole numbers, by [CLDR's rules](https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html).

/// Category of a number, which decides the form of the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    One,
    Few,
    Many,
    Other,
}

/// Rule of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One form for every number.
    Invariant,
    /// One for 1.
    One,
    /// One for 0 and 1.
    NoneOrOne,
    /// One for 1, few for 2 to 4.
    Czech,
    /// One for 1, few by the last digits, many for the rest.
    Polish,
    /// One and few by the last digits, many for the rest.
    Russian,
}

/// Languages of each rule.
pub(crate) const RULES: [(Rule, &[&str]); 6] = [
    (Rule::Invariant, &["id", "ja", "ko", "th", "zh"]),
    (Rule::One, &["bg", "da", "de", "el", "en", "et", "fi", "hu", "nb", "nl", "sv", "tr"]),
    (Rule::NoneOrOne, &["fa", "hi"]),
    (Rule::Czech, &["cs", "sk"]),
    (Rule::Polish, &["pl"]),
    (Rule::Russian, &["ru", "uk"]),
];

/// Returns the rule of a language, by its BCP 47 code.
pub(crate) fn rule(code: &str) -> Option<Rule> {
    let base = code.split('-').next().unwrap_or_default();
    RULES.iter().find(|(_, codes)| codes.contains(&base)).map(|(rule, _)| *rule)
}

impl Rule {
    /// Returns the category of a number.
    pub(crate) fn category(self, number: usize) -> Category {
        use Category::{Few, Many, One, Other};
        let (digit, digits) = (number % 10, number % 100);
        let few = (2..=4).contains(&digit) && !(12..=14).contains(&digits);
        match self {
            Self::One if number == 1 => One,
            Self::NoneOrOne if number <= 1 => One,
            Self::Czech if number == 1 => One,
            Self::Czech if (2..=4).contains(&number) => Few,
            Self::Invariant | Self::One | Self::NoneOrOne | Self::Czech => Other,
            Self::Polish if number == 1 => One,
            Self::Russian if digit == 1 && digits != 11 => One,
            Self::Polish | Self::Russian if few => Few,
            Self::Polish | Self::Russian => Many,
        }
    }
}

#[cfg(test)]
mod tests {
    use icu_plurals::{PluralCategory, PluralRules, PluralRulesOptions};

    use super::*;

    #[test]
    fn every_rule_is_that_of_cldr() {
        for (rule, codes) in RULES {
            for code in codes {
                let locale: icu_locale_core::Locale = code.parse().expect("a code");
                let known =
                    PluralRules::try_new(locale.into(), PluralRulesOptions::default()).expect("a rule");
                for number in 0..2_000 {
                    let category = match known.category_for(number) {
                        PluralCategory::One => Category::One,
                        PluralCategory::Few => Category::Few,
                        PluralCategory::Many => Category::Many,
                        PluralCategory::Other => Category::Other,
                        more => panic!("{code} has {more:?}"),
                    };
                    assert_eq!(rule.category(number), category, "{code} of {number}");
                }
            }
        }
    }
}
