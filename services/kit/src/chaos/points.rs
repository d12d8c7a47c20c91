//! The points that transactions pass, and the process that ends at one of them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::Moment;

const FOLDER: &str = "ADFOLIO_CHAOS_DIR";

/// A place in the code whose transactions can be made to end the process.
#[derive(Clone, Copy, Debug)]
pub struct Site(&'static Location<'static>);

impl Site {
    /// The caller's place.
    #[must_use]
    #[track_caller]
    pub fn caller() -> Self {
        Self(Location::caller())
    }

    /// A transaction of this place is at this moment. Does not return if it was chosen to be the last thing that happens.
    pub fn pass(self, moment: Moment) {
        if let Some(points) = points() {
            let point = format!("{}:{} {moment:?}", self.0.file(), self.0.line());
            points
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pass(&point);
        }
    }
}

fn points() -> Option<&'static Mutex<Points>> {
    static POINTS: OnceLock<Option<Mutex<Points>>> = OnceLock::new();
    POINTS
        .get_or_init(|| Points::of_this_process().map(Mutex::new))
        .as_ref()
}

/// What is written down of passes, and the pass that is waited for.
struct Points {
    passed: PathBuf,
    crash: PathBuf,
    chosen: Option<Chosen>,
}

/// The point to end at, and how many passes are let through first.
struct Chosen {
    file: String,
    point: String,
    remaining: u32,
}

impl Points {
    fn of_this_process() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        let program = std::env::current_exe().ok()?;
        let program = program.file_name()?.to_str()?;
        Some(Self {
            passed: folder.join(format!("{program}.passed")),
            crash: folder.join(format!("{program}.crash")),
            chosen: None,
        })
    }

    fn pass(&mut self, point: &str) {
        // A test that cannot write is told by the lines that it misses.
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.passed);
        let _ = file.and_then(|mut file| writeln!(file, "{point}"));
        self.look();
        let Some(chosen) = self.chosen.as_mut().filter(|chosen| chosen.point == point) else {
            return;
        };
        match chosen.remaining.checked_sub(1) {
            Some(remaining) => chosen.remaining = remaining,
            // Whoever removes the file is the one that ends: of two replicas, one.
            None if fs::remove_file(&self.crash).is_ok() => std::process::abort(),
            None => self.chosen = None,
        }
    }

    /// Reads what is chosen: `<passes to let through> <point>`.
    fn look(&mut self) {
        let Ok(file) = fs::read_to_string(&self.crash) else {
            self.chosen = None;
            return;
        };
        if self
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.file == file)
        {
            return;
        }
        self.chosen = file.trim().split_once(' ').and_then(|(passes, point)| {
            Some(Chosen {
                remaining: passes.parse().ok()?,
                point: point.to_owned(),
                file: file.clone(),
            })
        });
    }
}
