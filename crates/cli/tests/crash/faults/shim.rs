//! The shim between the server and its disk and clock: compiled from `shim.c` at the first use, and controlled through a
//! file that it shares with the test.

use std::fs::{File, Permissions};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::server::Variable;

/// A fault that the shim makes, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    SyncFails = 1,
    WriteFails,
    DiskFull,
    ReadOnly,
    ShortWrite,
    TornWrite,
    BitFlip,
    KilledAtSync,
}

/// The log of the database, as a bit of the shim.
pub(crate) const LOG: i64 = 2;
/// Every file of a store.
pub(crate) const ALL_FILES: i64 = 31;
/// The log and the tables of a PostgreSQL server.
pub(crate) const SERVER_FILES: i64 = 32;

// Places of the numbers in the shared file.
const FAULT: u64 = 0;
const FILES: u64 = 1;
const SKIP: u64 = 2;
const LEFT: u64 = 3;
const CLOCK: u64 = 4;
const SEED: u64 = 5;
const SEEN: u64 = 6;
const STRUCK: u64 = 7;
const NUMBERS: u64 = 8;

/// Place and number of a fault's strikes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Armed {
    pub(crate) fault: Fault,
    pub(crate) files: i64,
    /// The number of matching calls that pass before the first strike.
    pub(crate) skip: u64,
    /// The number of strikes; `None` for as many as there are until it is lifted.
    pub(crate) strikes: Option<u64>,
    pub(crate) seed: u64,
}

/// The test's end of the shared file.
pub(crate) struct Control {
    path: PathBuf,
    file: File,
}

impl Control {
    /// Creates the shared file, without a fault.
    pub(crate) fn create(folder: &Path) -> Self {
        let path = folder.join("faults.control");
        let file = File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        file.set_len(8 * NUMBERS).unwrap();
        Self { path, file }
    }

    /// Returns the variables that put the shim into a process.
    pub(crate) fn variables(&self) -> [Variable; 2] {
        let of = |path: &Path| path.to_str().unwrap().to_owned();
        [("LD_PRELOAD", of(library())), ("FAULTS_CONTROL", of(&self.path))]
    }

    /// Returns the variables that put the shim into a process of another user. The folder is opened to everybody.
    pub(crate) fn variables_for_everybody(&self) -> [Variable; 2] {
        let folder = self.path.parent().unwrap();
        let shim = folder.join("faults.so");
        std::fs::copy(library(), &shim).unwrap();
        for (path, mode) in [(folder, 0o755), (&shim, 0o755), (&self.path, 0o666)] {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        let of = |path: &Path| path.to_str().unwrap().to_owned();
        [("LD_PRELOAD", of(&shim)), ("FAULTS_CONTROL", of(&self.path))]
    }

    /// Arms a fault, and counts from zero.
    pub(crate) fn arm(&self, armed: Armed) {
        self.lift();
        self.set(FILES, armed.files);
        self.set(SKIP, armed.skip.cast_signed());
        self.set(LEFT, armed.strikes.map_or(-1, u64::cast_signed));
        self.set(SEED, armed.seed.cast_signed());
        self.set(SEEN, 0);
        self.set(STRUCK, 0);
        self.set(FAULT, armed.fault as i64);
    }

    /// Lifts the fault. The counts stay.
    pub(crate) fn lift(&self) {
        self.set(FAULT, 0);
    }

    /// Sets the clock of the process off by that many milliseconds.
    pub(crate) fn set_clock(&self, off: i64) {
        self.set(CLOCK, off);
    }

    /// Returns how often the fault could have struck.
    pub(crate) fn seen(&self) -> u64 {
        self.get(SEEN)
    }

    /// Returns how often the fault struck.
    pub(crate) fn struck(&self) -> u64 {
        self.get(STRUCK)
    }

    fn set(&self, number: u64, value: i64) {
        self.file.write_all_at(&value.to_ne_bytes(), 8 * number).unwrap();
    }

    fn get(&self, number: u64) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, 8 * number).unwrap();
        u64::from_ne_bytes(bytes)
    }
}

/// Returns the compiled shim.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crash/faults/shim.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let compiled = folder.join(format!("faults-{}.so", std::process::id()));
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&compiled);
        let ran = command.arg(source).arg("-ldl").output().unwrap_or_else(|error| {
            panic!(
                "`cc` cannot be run ({error}): faults are injected by a small library in C, and building \
                 the program needs a C compiler too"
            )
        });
        assert!(ran.status.success(), "the shim does not compile: {}", String::from_utf8_lossy(&ran.stderr));
        // One name for all test processes: the last one to compile it wins, and the bytes are the same.
        let library = folder.join("faults.so");
        std::fs::rename(&compiled, &library).unwrap();
        library
    })
}
