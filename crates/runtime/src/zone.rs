//! Time zones. Their database is compiled in, so every machine computes the same offsets; the engine gets only the
//! offset, which is logged with the turn.

use std::fmt;
use std::str::FromStr;

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use throughline_engine::Timestamp;

/// A time zone by its IANA name (`Europe/Berlin`), or a fixed distance from UTC (`+01:00`).
///
/// ```
/// use throughline_engine::Timestamp;
/// use throughline_runtime::Zone;
///
/// let berlin: Zone = "Europe/Berlin".parse().unwrap();
/// let at = |text: &str| berlin.offset_s(Timestamp::parse(text).unwrap());
/// assert_eq!(at("2026-01-15T10:00:00Z"), 3_600);
/// assert_eq!(at("2026-07-15T10:00:00Z"), 7_200);
/// assert!("Europe/Berlni".parse::<Zone>().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

/// A text that names no time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownZone(pub String);

impl Zone {
    /// The zone's offset from UTC at that moment, in seconds east; 0 outside the calendar.
    #[must_use]
    pub fn offset_s(&self, at: Timestamp) -> i32 {
        let moment = jiff::Timestamp::from_millisecond(at.0);
        moment.map_or(0, |moment| self.0.to_offset(moment).seconds())
    }
}

impl FromStr for Zone {
    type Err = UnknownZone;

    fn from_str(name: &str) -> Result<Self, UnknownZone> {
        let unknown = || UnknownZone(name.to_owned());
        if let Some(offset) = offset(name) {
            return Ok(Self(TimeZone::fixed(offset)));
        }
        TimeZoneDatabase::bundled().get(name).map(Self).map_err(|_| unknown())
    }
}

/// Parses `+01:00`, `-03:30`.
fn offset(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = text.strip_prefix(['+', '-'])?.split_once(':')?;
    let two = |digits: &str| digits.parse::<i32>().ok().filter(|_| digits.len() == 2);
    let (hours, minutes) = (two(hours).filter(|h| *h <= 14)?, two(minutes).filter(|m| *m < 60)?);
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

impl fmt::Display for UnknownZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "“{}” is no time zone: write its IANA name like Europe/Berlin, or a distance from UTC like +01:00",
            self.0
        )
    }
}

impl std::error::Error for UnknownZone {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_has_a_name_or_a_distance() {
        for (name, seconds) in
            [("+00:00", 0), ("+01:00", 3_600), ("-03:30", -12_600), ("UTC", 0), ("Asia/Kolkata", 19_800)]
        {
            assert_eq!(name.parse::<Zone>().unwrap().offset_s(Timestamp(0)), seconds, "{name}");
        }
        for wrong in ["+1:00", "+15:00", "01:00", "+01", "", "Mars/Olympus", "+01:60", "/etc/localtime"] {
            assert!(wrong.parse::<Zone>().unwrap_err().to_string().contains("Europe/Berlin"), "{wrong}");
        }
        assert_eq!("Europe/Berlin".parse::<Zone>().unwrap().offset_s(Timestamp(i64::MAX)), 0);
    }
}
