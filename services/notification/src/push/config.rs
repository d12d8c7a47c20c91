//! How push messages leave, as it is configured.

use std::path::PathBuf;

use adfolio_kit::config::ConfigError;
use clap::Args;
use url::Url;

use super::services::{self, PushService};
use super::vapid::VapidKey;

/// Push messages to the browsers of users
#[derive(Args, Clone, Debug, Default)]
pub struct PushArgs {
    /// PEM file of the P-256 key that signs requests to push services (RFC 8292), as `openssl genpkey -algorithm EC
    /// -pkeyopt ec_paramgen_curve:P-256` writes it. Without it push is off
    #[arg(long, env = "VAPID_KEY_FILE")]
    pub vapid_key_file: Option<PathBuf>,
    /// Contact for operators of push services: mailto:ops@adfolio.example or an https address
    #[arg(long, env = "VAPID_SUBJECT")]
    pub vapid_subject: Option<Url>,
    /// Origins of the push services that browsers may name, `*.` for all hosts below one
    #[arg(long, env = "PUSH_SERVICES", value_delimiter = ',', default_value = services::DEFAULT)]
    pub push_services: Vec<PushService>,
}

/// Everything about push that is on.
pub struct Settings {
    pub key: VapidKey,
    pub services: Vec<PushService>,
}

impl PushArgs {
    /// The checked settings; none where push is off.
    pub fn settings(&self) -> Result<Option<Settings>, ConfigError> {
        let Some(file) = &self.vapid_key_file else {
            return Ok(None);
        };
        let subject = self
            .vapid_subject
            .clone()
            .ok_or(ConfigError::Missing("VAPID_SUBJECT"))?;
        if !matches!(subject.scheme(), "mailto" | "https") {
            return Err(ConfigError::Invalid {
                name: "VAPID_SUBJECT",
                expected: "a mailto: or https: address",
            });
        }
        Ok(Some(Settings {
            key: VapidKey::load(file, subject)?,
            services: self.push_services.clone(),
        }))
    }
}
