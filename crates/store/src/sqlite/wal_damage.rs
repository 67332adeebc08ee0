//! Recognition of a damaged write-ahead log.
//!
//! SQLite reads a log up to the first frame whose checksum is wrong and takes that for its end, because a crash tears the
//! last transaction. A bit that flipped in the middle would so undo everything behind it, and nobody would be told. Each
//! transaction is synced before the next one is written, so two that are whole behind a wrong frame are no torn end.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// First bytes of a log; with the lowest bit, its checksums are of big-endian words.
const MAGIC: u32 = 0x377f_0682;
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Place of a damage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WalDamage {
    /// Bytes of the log before the damaged frame.
    pub(super) whole: u64,
    /// Number of commits that would be undone, with that of the damaged frame.
    pub(super) commits: u32,
}

/// Running checksum of a log.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum(u32, u32);

impl Sum {
    fn add(self, bytes: &[u8], big_endian: bool) -> Self {
        let word = |four: &[u8]| {
            let four = four.try_into().unwrap_or_default();
            if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
        };
        bytes.chunks_exact(8).fold(self, |Self(first, second), eight| {
            let first = first.wrapping_add(word(&eight[..4])).wrapping_add(second);
            Self(first, second.wrapping_add(word(&eight[4..])).wrapping_add(first))
        })
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_be_bytes)
}

/// Returns the path of a database's log.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// Returns the damage of a database's log, if it has one that SQLite would take for the log's end. A log that cannot be
/// read at all is left to SQLite.
pub(super) fn find(database: &Path) -> Option<WalDamage> {
    damage(BufReader::with_capacity(1 << 20, File::open(log_of(database)).ok()?))
}

fn damage(mut log: impl Read) -> Option<WalDamage> {
    let mut header = [0; HEADER];
    log.read_exact(&mut header).ok()?;
    let big_endian = number(&header, 0) == MAGIC | 1;
    let mut before = Sum(0, 0).add(&header[..24], big_endian);
    if before != Sum(number(&header, 24), number(&header, 28)) {
        return None;
    }
    let page = usize::try_from(number(&header, 8)).ok().filter(|size| (512..=65_536).contains(size))?;
    let mut frame = vec![0; FRAME_HEADER + page];
    let mut found: Option<WalDamage> = None;
    let mut wrong = 0;
    let mut at = HEADER as u64;
    while log.read_exact(&mut frame).is_ok() {
        let sum = before.add(&frame[..8], big_endian).add(&frame[FRAME_HEADER..], big_endian);
        // The next frame is checked against what this one says, so that one wrong frame makes no other one wrong.
        before = Sum(number(&frame, 16), number(&frame, 20));
        // Frames that the log had before it began anew have other salts.
        let whole = sum == before && frame[8..16] == header[16..24];
        wrong += u32::from(!whole);
        // A flipped checksum makes two frames wrong. More are those of a transaction before, or of the log before.
        if wrong > 2 {
            break;
        }
        let first = found.is_none();
        if !whole {
            found.get_or_insert(WalDamage { whole: at, commits: 0 });
        }
        if let Some(damage) = found.as_mut().filter(|_| whole || first) {
            damage.commits += u32::from(number(&frame, 4) != 0);
        }
        at += frame.len() as u64;
    }
    found.filter(|damage| damage.commits > 1)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// Returns a log of ten transactions.
    fn log(folder: &Path) -> Vec<u8> {
        let path = folder.join("a.db");
        let sql = Connection::open(&path).unwrap();
        sql.pragma_update(None, "journal_mode", "wal").unwrap();
        sql.execute_batch("CREATE TABLE t (x)").unwrap();
        for n in 0..9 {
            sql.execute("INSERT INTO t VALUES (?1)", [n]).unwrap();
        }
        assert_eq!(find(&path), None);
        std::fs::read(log_of(&path)).unwrap()
    }

    /// Every frame, with a bit of each of its parts flipped: the page, its number, the size, the checksums.
    #[test]
    fn a_flipped_bit_in_the_middle_is_no_end() {
        let folder = tempfile::tempdir().unwrap();
        let whole = log(folder.path());
        let size = FRAME_HEADER + usize::try_from(number(&whole, 8)).unwrap();
        let frames = (whole.len() - HEADER) / size;
        for frame in 0..frames {
            for at in [0, 3, 4, 8, 12, 16, 20, FRAME_HEADER, FRAME_HEADER + 999, size - 1] {
                let mut flipped = whole.clone();
                let start = HEADER + frame * size;
                flipped[start + at] ^= 4;
                let found = damage(flipped.as_slice());
                if frame + 2 < frames {
                    let found = found.unwrap_or_else(|| panic!("frame {frame} of {frames}, byte {at}"));
                    assert_eq!(found.whole, start as u64);
                }
            }
        }
    }

    #[test]
    fn a_torn_end_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let whole = log(folder.path());
        let size = FRAME_HEADER + usize::try_from(number(&whole, 8)).unwrap();
        for cut in (0..whole.len()).step_by(97) {
            assert_eq!(damage(&whole[..cut]), None, "{cut}");
            // Space that was allotted and never written.
            let mut zeros = whole[..cut].to_vec();
            zeros.resize(whole.len(), 0);
            assert_eq!(damage(zeros.as_slice()), None, "{cut}");
        }
        // The first frames of the last transaction are missing, its commit is there; behind it are frames of an earlier
        // one that was torn too.
        let last = whole.len() - size;
        let mut torn = whole.clone();
        torn[last + FRAME_HEADER..].fill(0);
        assert_eq!(damage(torn.as_slice()), None);
        torn.extend_from_slice(&whole[last..]);
        assert_eq!(damage(torn.as_slice()), None);
        // Behind the end of a log that began anew are the frames of before, with other salts.
        let mut anew = whole.clone();
        for start in (HEADER..whole.len()).step_by(size).skip(4) {
            anew[start + 8] ^= 1;
        }
        assert_eq!(damage(anew.as_slice()), None);
    }
}
