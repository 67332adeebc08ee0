//! The hash chain of audit rows. Each row's hash covers the row before, so that none can be changed, moved or removed
//! without a trace. The newest number and hash are stored beside the rows, which reveals a chain that was cut off.

use throughline_engine::data::canonical_json::{Hash, sha256};

/// Hash that the first row of a tenant follows.
pub(crate) const GENESIS: Hash = [0; 32];

/// Returns the hash of `row` after `prev`.
pub(crate) fn link(prev: &Hash, row: &str) -> Hash {
    sha256(&[b"throughline/audit/1", prev, &sha256(&[row.as_bytes()])])
}

/// Returns the number of the first row that breaks the chain: changed, missing, or cut off at the end. `rows` are
/// number, row and stored hash in order; `head` is the newest number and hash.
pub(crate) fn first_break<'a>(
    rows: impl IntoIterator<Item = (i64, &'a str, Hash)>,
    head: (i64, Hash),
) -> Option<i64> {
    let (mut number, mut prev) = (0, GENESIS);
    for (n, row, hash) in rows {
        if n != number + 1 || link(&prev, row) != hash {
            return Some(number + 1);
        }
        (number, prev) = (n, hash);
    }
    ((number, prev) != head).then_some(number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (i64, &'static str, Hash);

    fn chain(rows: &[&'static str]) -> (Vec<Row>, (i64, Hash)) {
        let mut out: Vec<Row> = Vec::new();
        for (n, row) in (1..).zip(rows) {
            let prev = out.last().map_or(GENESIS, |(_, _, hash)| *hash);
            out.push((n, row, link(&prev, row)));
        }
        let head = out.last().map_or((0, GENESIS), |(n, _, hash)| (*n, *hash));
        (out, head)
    }

    #[test]
    fn an_edited_removed_moved_or_cut_row_is_found() {
        let (rows, head) = chain(&["a", "b", "c"]);
        assert_eq!(first_break(rows.clone(), head), None);
        assert_eq!(first_break([], (0, GENESIS)), None);

        let mut edited = rows.clone();
        edited[1].1 = "B";
        assert_eq!(first_break(edited, head), Some(2));
        let deleted = [rows[0], rows[2]];
        assert_eq!(first_break(deleted, head), Some(2));
        let reordered = [rows[1], rows[0], rows[2]];
        assert_eq!(first_break(reordered, head), Some(1));
        assert_eq!(first_break(rows[..2].to_vec(), head), Some(3));
    }
}
