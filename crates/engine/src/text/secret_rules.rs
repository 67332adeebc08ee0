//! Formats of secrets: the beginnings of tokens, and the values that a service's name announces.
//!
//! The formats are those of the rule set of gitleaks (v8, MIT licence; see NOTICE), each as a beginning, a class of
//! characters and a length. Formats of several parts are read as one run of characters. A few were added from the pages
//! of services that it does not list. To add one, write a row: the test of this folder makes samples from every row.

use core::ops::RangeInclusive;

use throughline_language::budget::count;

/// The characters that a secret is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Digits and the letters a to f.
    Hex,
    /// Capital letters and digits.
    Capitals,
    /// Letters and digits.
    Letters,
    /// Letters and digits, with a digit among them.
    Mixed,
    /// Also `_` and `-`.
    Word,
    /// Also `.` and `=`.
    Dotted,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
}

impl Class {
    pub(super) const fn holds(self, c: char) -> bool {
        match self {
            Self::Hex => c.is_ascii_hexdigit(),
            Self::Capitals => c.is_ascii_uppercase() || c.is_ascii_digit(),
            Self::Letters | Self::Mixed => c.is_ascii_alphanumeric(),
            Self::Word => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Dotted => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '='),
            Self::Base64 => c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='),
        }
    }
}

use Class::{Base64, Capitals, Dotted, Hex, Letters, Mixed, Word};

/// A secret: how it begins, and what follows.
pub(super) struct Rule {
    /// The beginning of a token, in which `?` is any letter or digit; or the name of a service, in small letters, before
    /// its value.
    pub(super) begins: &'static str,
    pub(super) class: Class,
    /// The number of characters of that class.
    pub(super) length: RangeInclusive<usize>,
}

impl Rule {
    /// The number of characters of the class at the beginning of a text; no more are read than may be in a secret.
    pub(super) fn run(&self, text: &str) -> usize {
        let most = self.length.end().saturating_add(2);
        let length = text.bytes().take(most).take_while(|byte| self.class.holds(char::from(*byte))).count();
        count(length);
        length
    }
}

const fn rule(begins: &'static str, class: Class, least: usize, most: usize) -> Rule {
    Rule { begins, class, length: least..=most }
}

const fn exactly(begins: &'static str, class: Class, length: usize) -> Rule {
    rule(begins, class, length, length)
}

const fn least(begins: &'static str, class: Class, length: usize) -> Rule {
    rule(begins, class, length, usize::MAX)
}

/// Tokens that are known by their beginning.
pub(super) const TOKENS: [Rule; 127] = [
    // Models and their services.
    least("sk-", Word, 10),
    exactly("hf_", Letters, 34),
    exactly("api_org_", Letters, 34),
    exactly("pplx-", Letters, 48),
    exactly("gsk_", Letters, 52),
    exactly("xai-", Letters, 80),
    exactly("r8_", Letters, 37),
    least("bedrock-api-key-", Base64, 20),
    least("lsv2_pt_", Word, 32),
    // Clouds.
    exactly("AKIA", Capitals, 16),
    exactly("ASIA", Capitals, 16),
    exactly("ABIA", Capitals, 16),
    exactly("ACCA", Capitals, 16),
    exactly("A3T?", Capitals, 16),
    least("ABSK", Base64, 109),
    exactly("AIza", Word, 35),
    least("ya29.", Word, 20),
    exactly("GOCSPX-", Word, 28),
    exactly("LTAI", Letters, 20),
    exactly("doo_v1_", Hex, 64),
    exactly("dop_v1_", Hex, 64),
    exactly("dor_v1_", Hex, 64),
    exactly("v1.0-", Word, 171),
    exactly("fo1_", Word, 43),
    least("fm1a_", Base64, 100),
    least("fm1r_", Base64, 100),
    least("fm2_", Base64, 100),
    exactly("HRKU-AA", Word, 58),
    exactly("tk-us-", Word, 48),
    exactly("sha256~", Word, 43),
    rule("AQVN", Word, 35, 38),
    least("t1.", Dotted, 88),
    exactly("4b1d", Letters, 38),
    exactly("dapi", Hex, 32),
    // Code, packages and their pipelines.
    least("gh?_", Word, 10),
    least("github_pat_", Word, 10),
    least("glpat-", Dotted, 10),
    least("glcbt-", Word, 20),
    least("gldt-", Word, 20),
    least("glffct-", Word, 20),
    least("glft-", Word, 20),
    least("glimt-", Word, 20),
    least("glagent-", Word, 20),
    least("gloas-", Word, 20),
    least("glptt-", Hex, 40),
    least("glrt-", Dotted, 20),
    least("glsoat-", Word, 20),
    exactly("GR1348941", Word, 20),
    least("ATATT", Dotted, 10),
    least("ATCTT", Dotted, 10),
    exactly("npm_", Letters, 36),
    least("pypi-AgEI", Word, 50),
    exactly("rubygems_", Hex, 48),
    exactly("CLOJARS_", Letters, 60),
    least("dckr_pat_", Word, 20),
    exactly("AKCp", Letters, 69),
    exactly("cmVmd", Letters, 59),
    exactly("pul-", Hex, 40),
    exactly("pnu_", Letters, 36),
    exactly("ico-", Letters, 32),
    exactly("API-", Capitals, 26),
    least("sgp_", Word, 40),
    exactly("lin_api_", Letters, 40),
    exactly("rdme_", Letters, 70),
    exactly("PMAK-", Word, 59),
    exactly("pat.", Dotted, 68),
    exactly("sat.", Dotted, 68),
    exactly("squ_", Word, 40),
    exactly("sqp_", Word, 40),
    exactly("sqa_", Word, 40),
    exactly("NRJS-", Hex, 19),
    exactly("NRII-", Word, 32),
    exactly("NRAK-", Letters, 27),
    exactly("dt0c01.", Dotted, 89),
    least("sntrys_eyJ", Base64, 60),
    exactly("sntryu_", Hex, 64),
    least("glc_", Base64, 32),
    exactly("glsa_", Word, 41),
    least("eyJrIjoi", Base64, 70),
    // Secrets, vaults and access.
    rule("A3-", Word, 36, 37),
    least("ops_eyJ", Base64, 250),
    exactly("AGE-SECRET-KEY-1", Letters, 58),
    exactly("dp.pt.", Letters, 43),
    least("hvs.", Word, 90),
    least("hvb.", Word, 138),
    exactly("s.", Mixed, 24),
    exactly("p8e-", Letters, 32),
    least("authress_", Dotted, 60),
    least("scauth_", Dotted, 60),
    exactly("dnkey-", Word, 79),
    exactly("s-s4t2ud-", Hex, 64),
    exactly("s-s4t2af-", Hex, 64),
    exactly("pat", Dotted, 79),
    // Money.
    least("sk_live_", Word, 10),
    least("sk_test_", Word, 10),
    least("sk_prod_", Word, 10),
    least("rk_live_", Word, 10),
    least("rk_test_", Word, 10),
    least("rk_prod_", Word, 10),
    least("whsec_", Base64, 32),
    least("FLWSECK_TEST-", Word, 12),
    least("FLWPUBK_TEST-", Word, 12),
    rule("EAAA", Word, 22, 60),
    least("sq0atp-", Word, 22),
    exactly("access-sandbox-", Word, 36),
    exactly("access-development-", Word, 36),
    exactly("access-production-", Word, 36),
    exactly("duffel_test_", Dotted, 43),
    exactly("duffel_live_", Dotted, 43),
    exactly("EZAK", Letters, 54),
    exactly("EZTK", Letters, 54),
    exactly("shippo_live_", Hex, 40),
    exactly("shippo_test_", Hex, 40),
    exactly("shp??_", Hex, 32),
    // Talk and mail.
    least("xox?-", Word, 10),
    least("xoxe.xox?-", Word, 30),
    least("xapp-", Word, 10),
    least("EAAC", Word, 100),
    least("EAAM", Word, 100),
    exactly("SG.", Dotted, 66),
    exactly("xkeysib-", Word, 81),
    exactly("SK", Hex, 32),
    exactly("key-", Hex, 32),
    exactly("pubkey-", Hex, 32),
    // Others.
    least("pscale_", Dotted, 32),
    exactly("sm_?at_", Letters, 16),
    least("tlk_", Word, 24),
];

/// Values that are secret where the name of a service stands before them: `adafruit_key = …`.
pub(super) const SERVICES: [Rule; 93] = [
    exactly("adafruit", Word, 32),
    exactly("adobe", Hex, 32),
    exactly("airtable", Letters, 17),
    exactly("algolia", Letters, 32),
    exactly("alibaba", Letters, 30),
    exactly("asana", Letters, 16),
    exactly("asana", Letters, 32),
    exactly("atlassian", Letters, 24),
    exactly("confluence", Letters, 24),
    exactly("jira", Letters, 24),
    exactly("beamer", Dotted, 46),
    exactly("bitbucket", Letters, 32),
    exactly("bitbucket", Dotted, 64),
    exactly("bittrex", Letters, 32),
    exactly("meraki", Hex, 40),
    exactly("cloudflare", Word, 40),
    exactly("cloudflare", Hex, 37),
    exactly("codecov", Letters, 32),
    exactly("cohere", Letters, 40),
    exactly("coinbase", Word, 64),
    exactly("confluent", Letters, 16),
    exactly("confluent", Letters, 64),
    exactly("contentful", Dotted, 43),
    exactly("datadog", Letters, 40),
    exactly("discord", Hex, 64),
    exactly("discord", Letters, 18),
    exactly("discord", Dotted, 32),
    exactly("droneci", Letters, 32),
    exactly("dropbox", Letters, 15),
    exactly("dropbox", Dotted, 64),
    exactly("dropbox", Dotted, 138),
    exactly("etsy", Letters, 24),
    exactly("facebook", Hex, 32),
    exactly("fastly", Dotted, 32),
    exactly("finicity", Hex, 32),
    exactly("finicity", Letters, 20),
    exactly("finnhub", Letters, 20),
    exactly("flickr", Letters, 32),
    exactly("freshbooks", Letters, 64),
    exactly("gitter", Word, 40),
    exactly("gocardless", Dotted, 45),
    exactly("heroku", Word, 36),
    exactly("hubspot", Word, 36),
    exactly("intercom", Dotted, 60),
    exactly("jfrog", Letters, 73),
    exactly("jfrog", Letters, 64),
    exactly("artifactory", Letters, 73),
    exactly("artifactory", Letters, 64),
    exactly("bintray", Letters, 73),
    exactly("bintray", Letters, 64),
    exactly("xray", Letters, 73),
    exactly("xray", Letters, 64),
    rule("kraken", Base64, 80, 90),
    exactly("kucoin", Hex, 24),
    exactly("kucoin", Word, 36),
    exactly("launchdarkly", Dotted, 40),
    exactly("linear", Hex, 32),
    exactly("linkedin", Letters, 14),
    exactly("linkedin", Letters, 16),
    exactly("lob", Word, 40),
    exactly("looker", Letters, 20),
    exactly("looker", Letters, 24),
    exactly("mailchimp", Word, 37),
    exactly("mailgun", Word, 36),
    exactly("mailgun", Word, 39),
    exactly("mailgun", Word, 50),
    exactly("mapbox", Dotted, 86),
    exactly("mattermost", Letters, 26),
    exactly("messagebird", Letters, 25),
    exactly("messagebird", Word, 36),
    rule("netlify", Dotted, 40, 46),
    exactly("newrelic", Letters, 64),
    exactly("nytimes", Dotted, 32),
    exactly("okta", Dotted, 42),
    exactly("plaid", Letters, 24),
    exactly("plaid", Letters, 30),
    exactly("privateai", Letters, 32),
    exactly("rapidapi", Word, 50),
    exactly("sendbird", Word, 36),
    exactly("sendbird", Hex, 40),
    exactly("sentry", Hex, 64),
    exactly("snyk", Word, 36),
    exactly("sonar", Dotted, 40),
    exactly("squarespace", Word, 36),
    exactly("sumo", Letters, 14),
    exactly("sumo", Letters, 64),
    exactly("travis", Letters, 22),
    exactly("twitch", Letters, 30),
    rule("twitter", Word, 25, 66),
    rule("twitter", Letters, 102, 122),
    exactly("typeform", Dotted, 63),
    exactly("yandex", Word, 40),
    exactly("zendesk", Letters, 40),
];
