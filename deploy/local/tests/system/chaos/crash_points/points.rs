//! The folder in which processes report their points, and find those to crash at.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use adfolio_local::{Service, StackBuilder};
use tempfile::TempDir;

/// How often a process passed each point.
pub type Passes = BTreeMap<String, usize>;

/// A crash point, and how many passes to skip first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    pub point: String,
    pub let_through: usize,
}

pub struct Folder(TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// Passes it to every service of the stack.
    pub fn watch(&self, builder: StackBuilder) -> StackBuilder {
        let path = self.0.path().display().to_string();
        Service::ALL.into_iter().fold(builder, |builder, service| {
            builder.extra_env(service, "ADFOLIO_CHAOS_DIR", &path)
        })
    }

    /// The points of a service since the last reset.
    pub fn passes(&self, service: Service) -> Passes {
        let mut passes = Passes::new();
        // A service that has passed nothing has no file.
        let text = fs::read_to_string(self.file(service, "passed")).unwrap_or_default();
        for point in text.lines() {
            *passes.entry(point.to_owned()).or_default() += 1;
        }
        passes
    }

    /// Resets the counts.
    pub fn forget(&self) {
        for service in Service::ALL {
            let _ = fs::remove_file(self.file(service, "passed"));
        }
    }

    /// Lets a service crash at these points, one after the other.
    pub fn arm(&self, service: Service, crashes: &[Crash]) {
        let lines = crashes.iter().fold(String::new(), |mut lines, crash| {
            writeln!(lines, "{} {}", crash.let_through, crash.point).unwrap();
            lines
        });
        // Atomically: the service may read it at any moment.
        let aside = self.file(service, "aside");
        fs::write(&aside, lines).unwrap();
        fs::rename(&aside, self.file(service, "crash")).unwrap();
    }

    /// Removes a service's crash points.
    pub fn disarm(&self, service: Service) {
        let _ = fs::remove_file(self.file(service, "crash"));
    }

    /// The number of a service's remaining crash points.
    pub fn remaining(&self, service: Service) -> usize {
        fs::read_to_string(self.file(service, "crash")).map_or(0, |text| text.lines().count())
    }

    fn file(&self, service: Service, ending: &str) -> PathBuf {
        let program = format!("adfolio-{}", service.name());
        self.0.path().join(format!("{program}.{ending}"))
    }
}
