//! Weights of the judge: integers in one table, made by `cargo xtask train`.
//!
//! | Bytes | Meaning |
//! | --- | --- |
//! | 4 | `TLJ1` |
//! | 16 | the bias of each head, as little-endian `i32` |
//! | 2048 | one bit for each of 16384 classes of words: words of that class are no rare ones |
//! | 4 × 32768 | the weights of each place, one `i8` for each head |

use super::features::Feature;

/// The number of places that features are hashed to.
pub const PLACES: usize = 1 << 15;
/// The number of verdicts that are weighed apart: yes, no, done, more.
pub const HEADS: usize = 4;
/// The number of bits that say which words are common.
pub const COMMON: usize = 1 << 14;
const MAGIC: &[u8] = b"TLJ1";
const BIASES: usize = MAGIC.len();
const BITS: usize = BIASES + 4 * HEADS;
const WEIGHTS: usize = BITS + COMMON / 8;
/// The size of a model in bytes.
pub const SIZE: usize = WEIGHTS + PLACES * HEADS;

/// A finding about a message; the order is that of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// It says yes to the question.
    Yes,
    /// It says no to the question.
    No,
    /// It ends the conversation, and asks for nothing.
    Done,
    /// It asks for something more.
    More,
}

impl Head {
    /// Every head, in the order of the weights.
    pub const ALL: [Self; HEADS] = [Self::Yes, Self::No, Self::Done, Self::More];
}

/// The weights of the judge.
#[derive(Clone, Copy, Debug)]
pub struct Model<'w> {
    bytes: &'w [u8; SIZE],
}

impl Model<'static> {
    /// The model that comes with the crate; its notice is `judge/NOTICE`.
    pub const SHIPPED: Self = Self { bytes: include_bytes!("../../judge/weights.bin") };
}

impl<'w> Model<'w> {
    /// Takes the bytes of a model; `None` if they are of another form.
    #[must_use]
    pub fn of(bytes: &'w [u8]) -> Option<Self> {
        let bytes: &[u8; SIZE] = bytes.try_into().ok()?;
        bytes.starts_with(MAGIC).then_some(Self { bytes })
    }

    /// True if a word of this hash is no rare one.
    #[must_use]
    pub fn is_common(self, hash: u32) -> bool {
        let bit = hash as usize % COMMON;
        self.bytes[BITS + bit / 8] >> (bit % 8) & 1 == 1
    }

    /// The weight of a feature for a head.
    #[must_use]
    pub fn weight(self, feature: &Feature, head: Head) -> i32 {
        let place = feature.hash as usize % PLACES;
        i32::from(i8::from_ne_bytes([self.bytes[WEIGHTS + place * HEADS + head as usize]]))
    }

    fn bias(self, head: Head) -> i32 {
        let at = BIASES + 4 * head as usize;
        let bytes = &self.bytes[at..at + 4];
        i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// The sum of the weights of these features, for each head.
    #[must_use]
    pub fn scores(self, features: &[Feature]) -> [i32; HEADS] {
        let mut scores = Head::ALL.map(|head| self.bias(head));
        for feature in features {
            for (score, head) in scores.iter_mut().zip(Head::ALL) {
                *score = score.saturating_add(self.weight(feature, head));
            }
        }
        scores
    }
}

/// Makes the bytes of a model from its parts: the biases, the hashes of words that are common, and the weights of every
/// place.
#[must_use]
pub fn bytes_of(
    biases: [i32; HEADS],
    common: impl IntoIterator<Item = u32>,
    weights: &[[i8; HEADS]],
) -> alloc::vec::Vec<u8> {
    let mut bytes = alloc::vec![0; SIZE];
    bytes[..BIASES].copy_from_slice(MAGIC);
    for (at, bias) in biases.iter().enumerate() {
        bytes[BIASES + 4 * at..][..4].copy_from_slice(&bias.to_le_bytes());
    }
    for hash in common {
        let bit = hash as usize % COMMON;
        bytes[BITS + bit / 8] |= 1 << (bit % 8);
    }
    for (place, weights) in bytes[WEIGHTS..].chunks_exact_mut(HEADS).zip(weights) {
        place.copy_from_slice(&weights.map(|weight| weight.to_ne_bytes()[0]));
    }
    bytes
}
