//! The points that transactions pass, and the process that ends at one of them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tracing::warn;

use super::Moment;
use crate::db::Tx;

const FOLDER: &str = "ADFOLIO_CHAOS_DIR";

/// A place in the code whose transactions can be made to end the process.
#[derive(Clone, Debug)]
pub struct Site {
    place: &'static Location<'static>,
    label: Option<Arc<str>>,
    is_muted: bool,
}

impl Site {
    /// The caller's place.
    #[must_use]
    #[track_caller]
    pub fn caller() -> Self {
        Self {
            place: Location::caller(),
            label: None,
            is_muted: points().is_none(),
        }
    }

    /// Tells apart what goes through one place for different reasons. Only asked where it matters.
    #[must_use]
    pub fn labelled<T: AsRef<str>>(self, label: impl FnOnce() -> T) -> Self {
        if self.is_muted {
            return self;
        }
        Self {
            label: Some(label().as_ref().into()),
            ..self
        }
    }

    /// The same place, or none where `tx` has written nothing: jobs that look again and again and find nothing are no points.
    pub async fn if_written(self, tx: &mut Tx) -> Self {
        if self.is_muted {
            return self;
        }
        let asked = sqlx::query_scalar("SELECT pg_current_xact_id_if_assigned() IS NOT NULL");
        Self {
            is_muted: !asked.fetch_one(tx).await.unwrap_or(false),
            ..self
        }
    }

    /// A transaction of this place is at this moment. Does not return if it was chosen to be the last thing that happens.
    pub fn pass(&self, moment: Moment) {
        let Some(points) = points().filter(|_| !self.is_muted) else {
            return;
        };
        let (file, line) = (self.place.file(), self.place.line());
        let label = self
            .label
            .as_ref()
            .map_or_else(String::new, |label| format!(" {label}"));
        points
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pass(&format!("{file}:{line}{label} {moment:?}"));
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
    /// The file as it was read.
    text: String,
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
        if let Some(remaining) = chosen.remaining.checked_sub(1) {
            chosen.remaining = remaining;
            return;
        }
        let later = chosen.text.split_once('\n').map_or("", |(_, later)| later);
        if take(&self.crash, later) {
            warn!(point, "this process ends here on purpose");
            std::process::abort();
        }
        self.chosen = None;
    }

    /// Reads what is chosen.
    fn look(&mut self) {
        let Ok(text) = fs::read_to_string(&self.crash) else {
            self.chosen = None;
            return;
        };
        if self
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.text == text)
        {
            return;
        }
        let first = text.lines().next().and_then(|line| line.split_once(' '));
        self.chosen = first.and_then(|(passes, point)| {
            Some(Chosen {
                remaining: passes.parse().ok()?,
                point: point.to_owned(),
                text: text.clone(),
            })
        });
    }
}

/// Takes the file away and leaves what is for the successor. Of two replicas that want to, one succeeds.
fn take(crash: &Path, later: &str) -> bool {
    let own = crash.with_extension(format!("taken-{}", std::process::id()));
    if fs::rename(crash, &own).is_err() {
        return false;
    }
    if later.trim().is_empty() {
        return fs::remove_file(&own).is_ok();
    }
    // Whole in one step: it may be looked at meanwhile.
    fs::write(&own, later).is_ok() && fs::rename(&own, crash).is_ok()
}
