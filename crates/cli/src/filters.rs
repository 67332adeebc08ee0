//! The filters of lists: the same names on all of them.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use throughline_engine::Timestamp;

use crate::api::Api;
use crate::error::Failure;

/// Rows of a list that are looked through when a filter leaves some out.
const SEARCHED: usize = 1_000;

/// The filters that every list has; its states are its own.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Filters {
    /// Only from this channel: web, terminal, api, slack, telegram …
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// Only from conversations in which this user took part
    #[arg(long, value_name = "USER")]
    pub(crate) person: Option<String>,
    /// Only since then: 30m, 2h, 3d, 2026-03-01 or 2026-03-01T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(crate) since: Option<Timestamp>,
    /// The largest number to list
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

/// A row of a list.
pub(crate) trait Row {
    /// Returns the id of its lane.
    fn lane(&self) -> &str;
    /// Returns its time, as RFC 3339.
    fn at(&self) -> &str;
}

impl Filters {
    /// Returns the number of rows to read so that enough are left.
    pub(crate) fn depth(&self, more: bool) -> usize {
        let all = !more && self.channel.is_none() && self.person.is_none() && self.since.is_none();
        if all { self.limit } else { self.limit.max(SEARCHED) }
    }

    /// Keeps the rows that are wanted, up to the limit.
    pub(crate) fn keep<T: Row>(
        &self,
        api: &Api,
        rows: Vec<T>,
        wanted: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, Failure> {
        let lanes = self.lanes(api)?;
        // The times of the API are all written alike, so their order is that of their texts.
        let since = self.since.map(Timestamp::rfc3339);
        let keeps = |row: &T| {
            lanes.as_ref().is_none_or(|lanes| lanes.contains(row.lane()))
                && since.as_ref().is_none_or(|since| row.at() >= since.as_str())
                && wanted(row)
        };
        Ok(rows.into_iter().filter(keeps).take(self.limit).collect())
    }

    /// Returns the lanes of the channel and the person, if any is asked for.
    fn lanes(&self, api: &Api) -> Result<Option<BTreeSet<String>>, Failure> {
        if self.channel.is_none() && self.person.is_none() {
            return Ok(None);
        }
        let of_channel =
            |channel: &str| self.channel.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(channel));
        let lanes = api.lanes(self.person.as_deref(), usize::MAX)?.into_iter();
        Ok(Some(lanes.filter(|lane| of_channel(&lane.channel)).map(|lane| lane.id).collect()))
    }
}

/// Reads a moment: a time before now, a day, or a whole time.
pub(crate) fn since(text: &str) -> Result<Timestamp, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    moment(text, Timestamp(i64::try_from(now).unwrap_or(i64::MAX)))
}

fn moment(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let ago = || {
        let unit = text.chars().last()?;
        let length = match unit {
            's' => Timestamp::SECOND,
            'm' => Timestamp::MINUTE,
            'h' => Timestamp::HOUR,
            'd' => Timestamp::DAY,
            'w' => 7 * Timestamp::DAY,
            _ => return None,
        };
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(now.plus(-i64::from(number).checked_mul(length)?).max(Timestamp(0)))
    };
    Timestamp::parse(text)
        .or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
        .or_else(ago)
        .ok_or_else(|| format!("“{text}” is no time like 30m, 2h, 3d, 2026-03-01 or 2026-03-01T09:30:00Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_ago_a_day_or_a_time() {
        let now = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
        for (text, moment_of) in [
            ("30m", "2026-03-02T11:30:00.000Z"),
            ("2h", "2026-03-02T10:00:00.000Z"),
            ("1d", "2026-03-01T12:00:00.000Z"),
            ("1w", "2026-02-23T12:00:00.000Z"),
            ("2026-03-01", "2026-03-01T00:00:00.000Z"),
            ("2026-03-01T09:30:00Z", "2026-03-01T09:30:00.000Z"),
        ] {
            assert_eq!(moment(text, now).map(Timestamp::rfc3339), Ok(moment_of.to_owned()), "{text}");
        }
        for wrong in ["", "h", "2", "-2h", "2 h", "yesterday", "2026-13-01", "99999999999999d", "2ü"] {
            assert!(moment(wrong, now).is_err(), "{wrong}");
        }
    }
}
