//! Open files: every connection is one, and the process's limit is often lower than what its connections need.

/// Open files beside connections: the store, the log, clients of models, tools and channels.
const OTHERS: u64 = 256;

/// Raises this process's limit of open files to what so many connections need, as far as the system allows it. Returns how
/// many connections fit.
pub(crate) fn room_for(connections: usize) -> usize {
    fitting(connections, allowed(connections as u64 + OTHERS))
}

/// Raises the limit to what is needed, as far as that goes, and returns it.
#[cfg(unix)]
fn allowed(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(needed, |maximum| needed.min(maximum));
    match current {
        Some(current) if current < wanted => {
            let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
            if raised.is_ok() { wanted } else { current }
        }
        Some(current) => current,
        None => needed,
    }
}

/// There is no such limit.
#[cfg(not(unix))]
fn allowed(needed: u64) -> u64 {
    needed
}

fn fitting(connections: usize, allowed: u64) -> usize {
    let fit = allowed.saturating_sub(OTHERS.min(allowed / 2));
    connections.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_other_files() {
        assert_eq!(fitting(1_056, 1_312), 1_056);
        assert_eq!(fitting(1_056, 1_024), 768);
        assert_eq!(fitting(1_056, 64), 32);
        assert_eq!(fitting(1_056, 0), 1);
    }
}
