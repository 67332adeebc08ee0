//! Faults of the database and of the way to it, in the middle of what three processes do.

use crate::faults::matrix::{self, Run};
use crate::faults::shim::{self, Armed, Control, SERVER_FILES};

use super::wire::Wire;
use super::{Beside, Replicas, pause};

/// Faults, each for some time. What they end, begins again by itself.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The server crashes and is started again, twice.
    Restarted,
    /// The server is gone for good, and the one that follows it takes its place.
    FailsOver,
    /// The server takes fewer connections than one process has, and ends all that there are.
    OutOfConnections,
    /// No process reaches the server.
    Cut,
    /// One process after the other does not reach it.
    CutOneByOne,
    /// Connections of all processes are dead, and neither end is told.
    Forgotten,
    /// Those of one process are.
    ForgottenOfOne,
    /// Everything takes up to 40 ms more, in each direction.
    Slow,
    /// The disk of the server is full for some time: its log, its tables, or both. A server that stops of it is started again.
    DiskFull,
    /// The clock of one process is off by so many milliseconds from now on.
    Clock(i64),
}

const HOUR: i64 = 3_600_000;

const FAULTS: [(&str, Fault); 11] = [
    ("the database crashes twice", Fault::Restarted),
    ("the database fails over to its standby", Fault::FailsOver),
    ("the database is out of connections", Fault::OutOfConnections),
    ("the network to the database is cut", Fault::Cut),
    ("the network to the database is cut for each process in turn", Fault::CutOneByOne),
    ("every connection to the database is dead without an end", Fault::Forgotten),
    ("connections of one process are dead without an end", Fault::ForgottenOfOne),
    ("the network to the database is slow", Fault::Slow),
    ("the disk of the database is full", Fault::DiskFull),
    ("the clock of one process jumps an hour ahead", Fault::Clock(HOUR)),
    ("the clock of one process jumps an hour back", Fault::Clock(-HOUR)),
];

/// Refusal while the address leads to a server that takes no writes.
const ALSO: [&str; 1] = ["503 TL-6104"];

impl Fault {
    /// Lets the fault happen and be over.
    fn strike(self, replicas: &Replicas, seed: u64) {
        let each = |act: fn(&Wire)| replicas.wires.iter().for_each(act);
        pause(200 + seed * 59 % 300);
        match self {
            Self::Restarted => {
                for _ in 0..2 {
                    replicas.database.stop();
                    pause(200);
                    replicas.database.resume();
                    pause(300);
                }
            }
            Self::FailsOver => {
                replicas.database.stop();
                pause(200);
                replicas.standby.as_ref().unwrap().promote();
            }
            Self::OutOfConnections => {
                replicas.database.limit_connections(Some(4));
                pause(2_000);
                replicas.database.limit_connections(None);
            }
            Self::Cut => {
                each(Wire::cut);
                pause(1_000 + seed * 97 % 2_000);
                each(Wire::mend);
            }
            Self::CutOneByOne => {
                for wire in &replicas.wires {
                    wire.cut();
                    pause(1_800);
                    wire.mend();
                    pause(300);
                }
            }
            Self::Forgotten => each(Wire::forget),
            Self::ForgottenOfOne => replicas.wires[seed as usize % replicas.wires.len()].forget(),
            Self::Slow => {
                each(|wire| wire.slow(40));
                pause(6_000);
                each(Wire::mend);
            }
            Self::DiskFull => {
                let disk = replicas.disk.as_ref().unwrap();
                let (fault, skip) = (shim::Fault::DiskFull, seed * 7 % 20);
                disk.arm(Armed { fault, files: SERVER_FILES, skip, strikes: None, seed });
                pause(2_000);
                disk.lift();
                replicas.database.ensure_running();
            }
            Self::Clock(off) => replicas.clocks[seed as usize % replicas.clocks.len()].set_clock(off),
        }
    }
}

#[test]
fn a_database_that_fails_loses_and_doubles_nothing() {
    let cells: Vec<(String, Fault)> = FAULTS.map(|(name, fault)| (name.to_owned(), fault)).into();
    matrix::run("Database of three processes", &cells, |fault, seed| {
        let replicas = Replicas::over_wires(match fault {
            Fault::FailsOver => Beside::Standby,
            Fault::Clock(_) => Beside::Clocks,
            Fault::DiskFull => Beside::Disk,
            _ => Beside::Nothing,
        });
        let (sent, wrong) = replicas.play_recorded(seed, |replicas| fault.strike(replicas, seed));
        // A fault that nothing met proves nothing.
        let mut controls = replicas.clocks.iter().chain(&replicas.disk).map(Control::struck).peekable();
        let struck = if controls.peek().is_some() { controls.sum() } else { 1 };
        let mut run = Run { struck, wrong, ..Run::default() };
        if run.struck == 0 {
            run.wrong.push("the fault met nothing".into());
        }
        run.count_refused(&replicas.client, &sent, &ALSO);
        replicas.servers.iter().for_each(|server| run.check_log(server.data()));
        run
    });
}
