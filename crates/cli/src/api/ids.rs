//! Ids as people write them: whole, by their beginning, or as `@latest`.

use throughline_server::wire::{Approval, Effect, LaneInfo, TurnInfo};

use super::{Api, Local, Remote, place};
use crate::error::Failure;

/// The word for the newest one.
const LATEST: &str = "@latest";
/// Items that are searched for a beginning.
const SEARCHED: usize = 1_000;
/// Candidates that an error lists.
const LISTED: usize = 10;

/// The kind of thing an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A lane.
    Lane,
    /// A turn.
    Turn,
    /// An approval.
    Approval,
    /// An effect.
    Effect,
}

/// An id, and what tells it from others in a list.
pub(crate) struct Candidate {
    /// The id.
    pub(crate) id: String,
    /// Words about it.
    pub(crate) about: String,
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Lane => "ln_",
            Self::Turn => "tn_",
            Self::Approval => "ap_",
            Self::Effect => "fx_",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Lane => "lanes",
            Self::Turn => "turns",
            Self::Approval => "approvals",
            Self::Effect => "effects",
        }
    }

    /// Returns true if a text is a whole id, which is then not searched for: the id of the first turn begins as that of
    /// the tenth.
    fn is_whole(self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.prefix()) else { return false };
        let (digest, numbers) = match self {
            Self::Lane | Self::Effect => (24, 0),
            Self::Turn => (24, 1),
            Self::Approval => (16, 2),
        };
        let mut parts = rest.split('_');
        parts.next().is_some_and(|part| part.len() == digest)
            && parts.clone().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            && parts.count() == numbers
    }
}

/// Lists of an installation that ids are looked for in.
pub(crate) trait Ids {
    /// Returns at most `limit` lanes, newest first.
    fn newest_lanes(&self, limit: usize) -> Result<Vec<LaneInfo>, Failure>;
    /// Returns the newest turns of a lane.
    fn newest_turns(&self, lane: &str, limit: usize) -> Result<Vec<TurnInfo>, Failure>;
    /// Returns the newest approvals: those that wait, or all.
    fn newest_approvals(&self, all: bool, limit: usize) -> Result<Vec<Approval>, Failure>;
    /// Returns the newest effects.
    fn newest_effects(&self, limit: usize) -> Result<Vec<Effect>, Failure>;

    /// Returns the id that a person means: the newest one for `@latest`, and else the one that begins so, with or without
    /// the letters of its kind. What begins no id is returned as it is: whoever looks for it says that it is not there.
    fn id_of(&self, kind: Kind, said: &str) -> Result<String, Failure> {
        if said == LATEST {
            return self.latest(kind)?.ok_or_else(|| {
                Failure::new(format!("there are no {} yet, so none is the latest", kind.plural()))
                    .code("TL-2404")
            });
        }
        let bare = said.strip_prefix(kind.prefix()).unwrap_or(said);
        let begins = bare.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if kind.is_whole(said) || bare.is_empty() || !begins {
            return Ok(said.to_owned());
        }
        let whole = format!("{}{bare}", kind.prefix());
        let found = self.candidates(kind, &whole)?;
        match found.as_slice() {
            [] => Ok(said.to_owned()),
            [one] => Ok(one.id.clone()),
            _ if found.iter().any(|one| one.id == whole) => Ok(whole),
            _ => Err(ambiguous(kind, said, &found)),
        }
    }

    fn latest(&self, kind: Kind) -> Result<Option<String>, Failure> {
        let lane = || Ok::<_, Failure>(self.newest_lanes(1)?.into_iter().next().map(|lane| lane.id));
        match kind {
            Kind::Lane => lane(),
            Kind::Turn => match lane()? {
                Some(lane) => Ok(self.newest_turns(&lane, 1)?.into_iter().next().map(|turn| turn.turn)),
                None => Ok(None),
            },
            // One that waits is meant before one that is over.
            Kind::Approval => match self.newest_approvals(false, 1)?.into_iter().next() {
                Some(waits) => Ok(Some(waits.id)),
                None => Ok(self.newest_approvals(true, 1)?.into_iter().next().map(|approval| approval.id)),
            },
            Kind::Effect => Ok(self.newest_effects(1)?.into_iter().next().map(|effect| effect.id)),
        }
    }

    /// Returns what has an id that begins so, newest first.
    fn candidates(&self, kind: Kind, begins: &str) -> Result<Vec<Candidate>, Failure> {
        let all: Vec<Candidate> = match kind {
            Kind::Lane => self
                .newest_lanes(SEARCHED)?
                .into_iter()
                .map(|lane| Candidate { about: format!("{} {}", place(&lane), lane.updated_at), id: lane.id })
                .collect(),
            Kind::Turn => self.turns_that_begin(begins)?,
            Kind::Approval => self
                .newest_approvals(true, SEARCHED)?
                .into_iter()
                .map(|approval| Candidate {
                    about: format!("{} {}", approval.state, approval.created_at),
                    id: approval.id,
                })
                .collect(),
            Kind::Effect => self
                .newest_effects(SEARCHED)?
                .into_iter()
                .map(|effect| Candidate {
                    about: format!("{} {} {}", effect.class, effect.state, effect.created_at),
                    id: effect.id,
                })
                .collect(),
        };
        Ok(all.into_iter().filter(|one| one.id.starts_with(begins)).collect())
    }

    /// The id of a turn is that of its lane and the turn's number.
    fn turns_that_begin(&self, begins: &str) -> Result<Vec<Candidate>, Failure> {
        let rest = begins.strip_prefix(Kind::Turn.prefix()).unwrap_or(begins);
        let lane = rest.split('_').next().unwrap_or_default();
        let mut turns = Vec::new();
        for lane in self.candidates(Kind::Lane, &format!("{}{lane}", Kind::Lane.prefix()))? {
            let left = SEARCHED - turns.len().min(SEARCHED);
            turns.extend(self.newest_turns(&lane.id, left)?.into_iter().map(|turn| Candidate {
                about: format!("{} {} {}", turn.event, turn.reason, turn.at),
                id: turn.turn,
            }));
        }
        Ok(turns)
    }
}

/// Implements the lists by the methods that each way to an installation has.
macro_rules! ids {
    ($($way:ty),*) => {$(
        impl Ids for $way {
            fn newest_lanes(&self, limit: usize) -> Result<Vec<LaneInfo>, Failure> {
                self.lanes(None, limit)
            }

            fn newest_turns(&self, lane: &str, limit: usize) -> Result<Vec<TurnInfo>, Failure> {
                self.turns(lane, limit)
            }

            fn newest_approvals(&self, all: bool, limit: usize) -> Result<Vec<Approval>, Failure> {
                self.approvals(all, limit)
            }

            fn newest_effects(&self, limit: usize) -> Result<Vec<Effect>, Failure> {
                self.effects(None, limit)
            }
        }
    )*};
}

ids!(Api, Local, Remote);

fn ambiguous(kind: Kind, said: &str, found: &[Candidate]) -> Failure {
    let what = format!("{said} is the beginning of {} {}", found.len(), kind.plural());
    let failure = Failure::usage(what).hint("write as much of the id as tells it from the others");
    let listed = found.iter().take(LISTED).map(|one| format!("{}  {}", one.id, one.about));
    let more = found.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("… and {more} more"));
    failure.why(listed.chain(more).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_whole_id_is_known_by_its_shape() {
        for (kind, id) in [
            (Kind::Lane, "ln_atpfhd2dnan4hnneg4slqvhi"),
            (Kind::Turn, "tn_atpfhd2dnan4hnneg4slqvhi_1"),
            (Kind::Approval, "ap_atpfhd2dnan4hnne_8_1"),
            (Kind::Effect, "fx_65emfyihdqmez2f6x5fvmpxn"),
        ] {
            assert!(kind.is_whole(id), "{id}");
            for part in [&id[3..], &id[..id.len() - 1], &format!("{id}_1"), &format!("{id}_"), "key:a", ""] {
                assert!(
                    kind == Kind::Turn && part.ends_with("_1") && part == id || !kind.is_whole(part),
                    "{part}"
                );
            }
        }
    }
}
