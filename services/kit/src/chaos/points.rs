//! The points that transactions pass, and crashing the process at one of them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sqlx::PgConnection;
use tracing::warn;

use super::Moment;

const FOLDER: &str = "ADFOLIO_CHAOS_DIR";

/// A place in the code where a transaction can crash the process.
#[derive(Clone, Debug)]
pub struct Site {
    place: &'static Location<'static>,
    labels: Arc<[String]>,
    is_muted: bool,
}

impl Site {
    /// The caller's location.
    #[must_use]
    #[track_caller]
    pub fn caller() -> Self {
        Self {
            place: Location::caller(),
            labels: Arc::default(),
            is_muted: points().is_none(),
        }
    }

    /// Distinguishes different uses of one place. The label is only evaluated when chaos is active.
    #[must_use]
    pub fn labelled<T: AsRef<str>>(self, label: impl FnOnce() -> T) -> Self {
        self.labelled_each(|| [label()])
    }

    /// A transaction of several uses of one place: it passes a point for each. The labels are only
    /// evaluated when chaos is active.
    #[must_use]
    pub fn labelled_each<T: AsRef<str>, I: IntoIterator<Item = T>>(
        self,
        labels: impl FnOnce() -> I,
    ) -> Self {
        if self.is_muted {
            return self;
        }
        let labels = labels().into_iter();
        Self {
            labels: labels.map(|label| label.as_ref().to_owned()).collect(),
            ..self
        }
    }

    /// The same place, muted if `tx` has written nothing: polling jobs that find nothing pass no
    /// point.
    pub async fn if_written(self, tx: &mut PgConnection) -> Self {
        if self.is_muted {
            return self;
        }
        let asked = sqlx::query_scalar!(
            r#"SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS "has_written!""#
        );
        Self {
            is_muted: !asked.fetch_one(tx).await.unwrap_or(false),
            ..self
        }
    }

    /// A transaction at this place reaches this moment. Does not return if the process is to crash
    /// here.
    pub fn pass(&self, moment: Moment) {
        let Some(points) = points().filter(|_| !self.is_muted) else {
            return;
        };
        let place = format!("{}:{}", self.place.file(), self.place.line());
        let mut points = points.lock().unwrap_or_else(PoisonError::into_inner);
        if self.labels.is_empty() {
            points.pass(&format!("{place} {moment:?}"));
        }
        for label in self.labels.iter() {
            points.pass(&format!("{place} {label} {moment:?}"));
        }
    }
}

fn points() -> Option<&'static Mutex<Points>> {
    static POINTS: OnceLock<Option<Mutex<Points>>> = OnceLock::new();
    POINTS
        .get_or_init(|| Points::of_this_process().map(Mutex::new))
        .as_ref()
}

/// The record of passes, and the next crash.
struct Points {
    passed: PathBuf,
    crash: PathBuf,
    chosen: Option<Chosen>,
}

/// The point to crash at, and how many passes to skip first.
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
        // A test notices a failed write by the missing lines.
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.passed);
        let _ = file.and_then(|mut file| writeln!(file, "{point}"));
        self.read_crash_file();
        let Some(chosen) = self.chosen.as_mut().filter(|chosen| chosen.point == point) else {
            return;
        };
        if let Some(remaining) = chosen.remaining.checked_sub(1) {
            chosen.remaining = remaining;
            return;
        }
        let later = chosen.text.split_once('\n').map_or("", |(_, later)| later);
        if take(&self.crash, later) {
            warn!(point, "crashing on purpose");
            std::process::abort();
        }
        self.chosen = None;
    }

    /// Reads the crash file.
    fn read_crash_file(&mut self) {
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

/// Removes the first line of the crash file. Of two competing replicas one succeeds.
fn take(crash: &Path, later: &str) -> bool {
    let own = crash.with_extension(format!("taken-{}", std::process::id()));
    if fs::rename(crash, &own).is_err() {
        return false;
    }
    if later.trim().is_empty() {
        return fs::remove_file(&own).is_ok();
    }
    // Atomically: another process may be reading it.
    fs::write(&own, later).is_ok() && fs::rename(&own, crash).is_ok()
}
