//! The folder through which processes say what points they pass, and are told at which to end.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::PathBuf};

use adfolio_local::{Service, StackBuilder};
use tempfile::TempDir;

/// How often a process passed each point.
pub type Passes = BTreeMap<String, usize>;

/// A point at which a process ends, and how many passes are let through first.
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

    /// Tells every service of the stack about it.
    pub fn watch(&self, builder: StackBuilder) -> StackBuilder {
        let path = self.0.path().display().to_string();
        Service::ALL.into_iter().fold(builder, |builder, service| {
            builder.extra_env(service, "ADFOLIO_CHAOS_DIR", &path)
        })
    }

    /// What a service passed since it was last asked to forget.
    pub fn passes(&self, service: Service) -> Passes {
        let mut passes = Passes::new();
        // A service that has passed nothing has no file.
        let text = fs::read_to_string(self.file(service, "passed")).unwrap_or_default();
        for point in text.lines() {
            *passes.entry(point.to_owned()).or_default() += 1;
        }
        passes
    }

    /// Begins to count anew.
    pub fn forget(&self) {
        for service in Service::ALL {
            let _ = fs::remove_file(self.file(service, "passed"));
        }
    }

    /// Lets a service end at these points, one after the other.
    pub fn arm(&self, service: Service, crashes: &[Crash]) {
        let lines = crashes.iter().fold(String::new(), |mut lines, crash| {
            writeln!(lines, "{} {}", crash.let_through, crash.point).unwrap();
            lines
        });
        // In one step: the service looks at any moment.
        let aside = self.file(service, "aside");
        fs::write(&aside, lines).unwrap();
        fs::rename(&aside, self.file(service, "crash")).unwrap();
    }

    /// Lets a service live.
    pub fn disarm(&self, service: Service) {
        let _ = fs::remove_file(self.file(service, "crash"));
    }

    /// At how many points a service is still to end.
    pub fn remaining(&self, service: Service) -> usize {
        fs::read_to_string(self.file(service, "crash")).map_or(0, |text| text.lines().count())
    }

    fn file(&self, service: Service, ending: &str) -> PathBuf {
        let program = format!("adfolio-{}", service.name());
        self.0.path().join(format!("{program}.{ending}"))
    }
}
