//! Tests of the markup: what each piece of Markdown becomes, and generated texts that nothing comes of but text.

use proptest::prelude::*;

use super::links::words_of;
use super::markdown::read;
use super::{Node, html};

fn shown(text: &str) -> String {
    html(&read(text).expect("it is Markdown"))
}

#[test]
fn what_is_written_in_markdown_is_shown_so() {
    for (text, expected) in [
        ("# One\n## Two", "<h3>One</h3><h4>Two</h4>"),
        ("a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>"),
        ("- a\n- b\n  1. c\n  2. d", "<ul><li>a</li><li>b<ol><li>c</li><li>d</li></ol></li></ul>"),
        ("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>"),
        ("- [x] a\n- [ ] b", "<ul><li>☑ a</li><li>☐ b</li></ul>"),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>"),
        ("```rust\nfn a() {}\n```", "<pre data-language=\"rust\"><code>fn a() {}\n</code></pre>"),
        ("a\n\n---\n\nb", "<p>a</p><hr><p>b</p>"),
        (
            "|a|b|\n|-|-|\n|c|d|",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr></tbody></table>",
        ),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn a_link_opens_elsewhere_and_says_where_it_leads() {
    let link = |href: &str, words: &str| {
        format!("<a href=\"{href}\" target=\"_blank\" rel=\"noopener noreferrer\">{words}</a>")
    };
    for (text, expected) in [
        ("see https://x.org/a_b_c.", format!("see {}.", link("https://x.org/a_b_c", "https://x.org/a_b_c"))),
        ("(https://x.org/a)", format!("({})", link("https://x.org/a", "https://x.org/a"))),
        ("<https://x.org>", link("https://x.org", "https://x.org")),
        ("[the log](https://x.org/l)", link("https://x.org/l", "the log") + "<small> (x.org)</small>"),
        ("[good.org](https://evil.org)", link("https://evil.org", "good.org") + "<small> (evil.org)</small>"),
        (
            "[a](https://good.org@evil.org)",
            link("https://good.org@evil.org", "a") + "<small> (evil.org)</small>",
        ),
        (
            "![a picture](https://x.org/p.png)",
            link("https://x.org/p.png", "a picture") + "<small> (x.org)</small>",
        ),
        ("[a](mailto:ana@x.org)", link("mailto:ana@x.org", "a") + "<small> (ana@x.org)</small>"),
    ] {
        assert_eq!(shown(text), format!("<p>{expected}</p>"), "{text}");
    }
}

#[test]
fn what_may_not_be_followed_stays_as_it_is_written() {
    for text in [
        "[a](javascript:alert(1))",
        "[a](JaVaScript:alert(1))",
        "[a](/console)",
        "[a](//x.org)",
        "![a](data:image/png;base64,AAAA)",
        "<javascript:alert(1)>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=x()>b</b>",
    ] {
        let nodes = read(text).unwrap();
        assert_eq!(words_of(&nodes).trim(), text);
        assert!(!html(&nodes).contains("<a"), "{text}");
    }
}

#[test]
fn a_text_that_would_lose_a_word_is_no_markup() {
    for text in ["|a|\n|-|\n|b|lost|", "\u{202e}[a](https://x.org)", &"> ".repeat(40)] {
        assert_eq!(read(text), None, "{text}");
    }
    assert!(shown("[a]\n\n[a]: https://x.org 'title'").contains("&#39;title&#39;"));
}

/// Returns true if HTML has no tag, attribute or address but those of markup.
fn is_harmless(html: &str) -> bool {
    const TAGS: &str =
        " p h3 h4 h5 h6 ol ul li blockquote pre code table thead tbody tr th td em strong del small a br hr ";
    html.split('<').skip(1).all(|rest| {
        let Some((tag, _)) = rest.split_once('>') else { return false };
        let (name, attributes) =
            tag.trim_start_matches('/').split_once(' ').unwrap_or((tag.trim_start_matches('/'), ""));
        let href = attributes.strip_prefix("href=\"").is_none_or(|href| {
            ["https://", "http://", "mailto:"].iter().any(|scheme| href.to_lowercase().starts_with(scheme))
        });
        let allowed = ["", "href=\"", "start=\"", "data-language=\""];
        let known = attributes.is_empty() || allowed[1..].iter().any(|name| attributes.starts_with(name));
        TAGS.contains(&format!(" {name} ")) && href && known
    })
}

/// Generates texts of pieces that mean something to Markdown, to HTML or to a browser.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "javascript:alert(1)",
            "data:text/html,x",
            "[a](",
            ")",
            "](",
            "![",
            "[",
            "]",
            "<",
            ">",
            "`",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "# ",
            "| ",
            "|-|-|\n",
            "*",
            "**",
            "_",
            "~~",
            "\\",
            "\"",
            "'",
            "&lt;",
            "&#x3c;",
            "&amp;",
            "https://x.org/",
            "https://x.org/\" onclick=\"x",
            "<a href=\"javascript:x\">",
            "<!--",
            "-->",
            "<![CDATA[",
            "<?",
            "[b]: ",
            "[b]",
            "    ",
            "\t",
            "on",
            "mailto:",
            "\u{202e}",
            "\0",
            "\r",
            "[ ] ",
            "<svg/onload=x>",
            "http://",
            "^",
            ":",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,6} ?",
        "[ -~äöü漢\u{1f600}\n]{0,8}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn no_text_becomes_a_script_a_handler_or_a_request(text in hostile()) {
        let html = read(&text).map(|nodes| html(&nodes)).unwrap_or_default();
        prop_assert!(is_harmless(&html), "{html}");
    }

    #[test]
    fn no_word_of_a_text_is_lost(text in hostile()) {
        let Some(nodes) = read(&text) else { return Ok(()) };
        let shown = all(&nodes);
        // A reference to a character is shown as that character.
        let mut parts = text.split('&');
        let first = parts.next().into_iter();
        let words = first.chain(parts.filter_map(|part| Some(part.split_once(';')?.1)));
        let words = words.flat_map(|part| part.split(|c: char| !c.is_alphabetic()));
        for word in words {
            prop_assert!(shown.contains(word), "{word:?} is not in {shown:?}");
        }
    }
}

/// Returns all that is written in a tree, with what its attributes say.
fn all(nodes: &[Node]) -> String {
    let of = |node: &Node| match node {
        Node::Text(text) => text.clone(),
        Node::Element(element) => {
            format!(
                "{} {} {}",
                all(&element.children),
                element.href.as_deref().unwrap_or_default(),
                element.language
            )
        }
    };
    nodes.iter().map(of).collect()
}
