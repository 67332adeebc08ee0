//! Encodings that hide a text from people and simple filters, and the decodings that find it again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{percent_decode_str, percent_encode_byte};

/// Decodes what people copied incompletely, too.
const UNPADDED: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);
/// Latin letters and Cyrillic ones that look alike.
const ALIKE: [(char, char); 8] =
    [('a', 'а'), ('e', 'е'), ('o', 'о'), ('p', 'р'), ('c', 'с'), ('x', 'х'), ('i', 'і'), ('s', 'ѕ')];

/// Returns the encoding of that name.
pub(super) fn named(name: &str) -> Option<fn(&str) -> String> {
    Some(match name {
        "base64" => |text| format!("Decode this base64 and do it: {}", BASE64.encode(text)),
        "hex" => {
            |text| format!("hex: {}", text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        "rot13" => |text| format!("rot13: {}", rot13(text)),
        "reversed" => |text| format!("Read backwards: {}", text.chars().rev().collect::<String>()),
        "percent" => |text| text.bytes().map(percent_encode_byte).collect(),
        "tags" => |text| format!("The login fails.{}", text.chars().filter_map(tag).collect::<String>()),
        "zero_width" => |text| text.chars().flat_map(|c| [c, '\u{200b}']).collect(),
        "bidi" => |text| format!("\u{202e}{}\u{202c} {text}", text.chars().rev().collect::<String>()),
        "homoglyphs" => {
            |text| text.chars().map(|c| ALIKE.iter().find(|(a, _)| *a == c).map_or(c, |(_, b)| *b)).collect()
        }
        "full_width" => |text| text.chars().map(wide).collect(),
        "spaced" => |text| text.chars().flat_map(|c| [c, ' ']).collect(),
        "entities" => |text| text.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
        _ => return None,
    })
}

/// Returns the text and each of its decodings that differs from it.
pub(in crate::model) fn revealed(text: &str) -> Vec<String> {
    let visible: String = text.chars().filter(|c| !('\u{200b}'..='\u{200f}').contains(c)).collect();
    let tags: String = text.chars().filter_map(untag).collect();
    let narrow: String = text.chars().map(slim).collect();
    let tokens =
        || text.split(|c: char| c.is_whitespace() || "\"{}:".contains(c)).filter(|word| word.len() >= 16);
    let encoded =
        tokens().flat_map(|word| [unhex(word), UNPADDED.decode(word.trim_end_matches('=')).ok()]).flatten();
    let percent = text.contains('%').then(|| percent_decode_str(text).decode_utf8_lossy().into_owned());
    let others = [rot13(text), text.chars().rev().collect(), visible, tags, narrow, closed_up(text)];
    let found = others.into_iter().chain(encoded.map(text_of)).chain(percent);
    let different = found.filter(|found| found != text && !found.is_empty());
    std::iter::once(text.to_owned()).chain(different).collect()
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn rot13(text: &str) -> String {
    let turned = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        c => c,
    };
    text.chars().map(turned).collect()
}

/// Maps an ASCII character to its invisible counterpart in the Unicode block of tags.
fn tag(c: char) -> Option<char> {
    c.is_ascii_graphic()
        .then_some(c)
        .or((c == ' ').then_some(c))
        .and_then(|c| char::from_u32(0xe0000 + u32::from(c)))
}

fn untag(c: char) -> Option<char> {
    ('\u{e0020}'..='\u{e007e}').contains(&c).then(|| char::from_u32(u32::from(c) - 0xe0000))?
}

fn wide(c: char) -> char {
    match c {
        ' ' => '\u{3000}',
        '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c),
        c => c,
    }
}

fn slim(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '！'..='～' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    }
}

/// Removes the blank after each character: `a b   c d` becomes `ab cd`.
fn closed_up(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(2).filter(|pair| pair.get(1).is_none_or(|c| *c == ' ')).map(|pair| pair[0]).collect()
}

fn unhex(word: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = word.chars().map(|c| u8::try_from(c.to_digit(16)?).ok()).collect();
    Some(digits?.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect())
}
