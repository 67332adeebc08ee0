//! Texts of issues and comments, and the marks of effects in them. Pure.
//!
//! A Redmine shows texts as Textile or as Markdown, and does not tell which.

use throughline_engine::EffectId;

use super::config::Markup;
use crate::remote::{self, has_line};

/// Makes a text say what it says and do nothing: no mention calls anybody, no macro includes a page, no image is loaded, and
/// no comment hides what comes after it.
pub(super) fn inert(markup: Markup, text: &str) -> String {
    let is_macro = |rest: &str| rest.starts_with("{{");
    match markup {
        Markup::Markdown => remote::parted(text, true, is_macro),
        // What are fences of code in Markdown is none in Textile.
        Markup::Any | Markup::Textile => {
            remote::parted(text, false, |rest| is_macro(rest) || begins_image(rest))
        }
    }
}

/// True if a text begins as an image does in Textile: `!picture.png!`.
fn begins_image(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix('!') else { return false };
    let begins = |c: char| c.is_alphanumeric() || matches!(c, '<' | '>' | '=' | '/' | '.' | '(' | '{' | '[');
    after.starts_with(begins) && after.lines().next().is_some_and(|line| line.contains('!'))
}

/// The line above a section of a text.
pub(super) fn heading(markup: Markup, name: &str) -> String {
    match markup {
        // It stands out in both.
        Markup::Any => format!("*{name}*"),
        Markup::Textile => format!("h3. {name}"),
        Markup::Markdown => format!("### {name}"),
    }
}

/// The line by which the issue or comment of an effect is found, in a form that is not shown: Textile leaves out comments, and
/// Markdown the targets of links.
pub(super) fn marker(markup: Markup, effect: &EffectId) -> String {
    match markup {
        Markup::Any | Markup::Textile => comment(effect),
        Markup::Markdown => target(effect),
    }
}

/// True if a text has the mark of an effect, in whichever form: the setting may have been another one.
pub(super) fn is_marked(text: &str, effect: &EffectId) -> bool {
    has_line(text, &comment(effect)) || has_line(text, &target(effect))
}

fn comment(effect: &EffectId) -> String {
    format!("<!-- throughline-{effect} -->")
}

fn target(effect: &EffectId) -> String {
    format!("[throughline]: {effect}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: &str = "\u{200b}";

    #[test]
    fn a_text_calls_nobody_and_loads_nothing() {
        for (text, expected) in [
            ("ask @ana", "ask @~ana"),
            ("{{include(Wiki)}}", "{~{include(Wiki)}}"),
            ("{{{x}}}", "{~{~{x}}}"),
            ("{a} {{ b", "{a} {~{ b"),
            ("see !picture.png! or !>/p.png!", "see !~picture.png! or !~>/p.png!"),
            ("Stop!Now", "Stop!Now"),
            ("Stop! Now!", "Stop! Now!"),
            ("a != b!", "a !~= b!"),
            ("<!-- hidden", "<~!-- hidden"),
            ("```\n@ana\n```", "```\n@~ana\n```"),
            ("* a\n# b", "* a\n# b"),
        ] {
            let expected = expected.replace('~', GAP);
            for markup in [Markup::Any, Markup::Textile] {
                assert_eq!(inert(markup, text), expected, "{text}");
                assert_eq!(inert(markup, &expected), expected, "{text}: once is enough");
            }
        }
    }

    #[test]
    fn in_markdown_code_stays_as_it_is() {
        for (text, expected) in [
            ("ask @ana {{toc}}", "ask @~ana {~{toc}}"),
            ("```\n@ana {{toc}}\n```\n", "```\n@ana {{toc}}\n```\n"),
            ("see !picture.png!", "see !picture.png!"),
        ] {
            assert_eq!(inert(Markup::Markdown, text), expected.replace('~', GAP), "{text}");
        }
    }

    #[test]
    fn a_mark_is_found_whichever_the_setting_was() {
        let effect = EffectId::from("fx_1");
        for markup in [Markup::Any, Markup::Textile, Markup::Markdown] {
            // As Redmine gives it back.
            let text = remote::ending("It is slow", &marker(markup, &effect)).replace('\n', "\r\n");
            assert!(is_marked(&text, &effect), "{markup:?}");
            assert!(!is_marked(&text, &"fx_12".into()) && !is_marked(&text, &"fx_".into()), "{markup:?}");
            assert!(!is_marked(&inert(Markup::Any, &comment(&effect)), &effect), "nobody writes one");
        }
    }
}
