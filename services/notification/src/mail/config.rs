//! Where mail goes, as it is configured.

use std::path::PathBuf;

use adfolio_kit::config::{ConfigError, secret_from};
use clap::{Args, ValueEnum};
use lettre::message::Mailbox;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::lang::TextsError;

/// How mail leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// Through a mail server, with TLS.
    Smtp,
    /// Into a folder, one file per mail; for development.
    Files,
    /// Not at all.
    #[default]
    Off,
}

/// Mail to users
#[derive(Args, Clone, Debug, Default)]
pub struct MailArgs {
    /// How mail to users leaves: smtp, files (into MAIL_DIR) or off
    #[arg(long, env = "MAIL_TRANSPORT", value_enum, default_value_t)]
    pub mail_transport: Way,
    /// The mail server: smtps://user:password@host[:465] or smtp://user:password@host[:587]?tls=required
    #[arg(long, env = "SMTP_URL", hide_env_values = true)]
    pub smtp_url: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "SMTP_URL_FILE")]
    pub smtp_url_file: Option<PathBuf>,
    /// PEM file of an authority that the mail server's certificate may come from, besides those of the system
    #[arg(long, env = "SMTP_CA_FILE")]
    pub smtp_ca_file: Option<PathBuf>,
    /// Sender of mail, for example `Adfolio <no-reply@adfolio.example>`
    #[arg(long, env = "MAIL_FROM")]
    pub mail_from: Option<String>,
    /// Folder for mail as files
    #[arg(long, env = "MAIL_DIR")]
    pub mail_dir: Option<PathBuf>,
    /// The one address that mail names: where users open the app themselves
    #[arg(long, env = "PUBLIC_URL")]
    pub public_url: Option<Url>,
}

/// Mail cannot be sent as configured.
#[derive(Debug, thiserror::Error)]
pub enum MailConfigError {
    /// A variable is missing or wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The texts of this program.
    #[error(transparent)]
    Texts(#[from] TextsError),
    /// TLS to the mail server. Its cause names no secret.
    #[error("TLS to the mail server cannot be set up")]
    Tls(#[source] lettre::transport::smtp::Error),
    /// The folder of mail as files.
    #[error("MAIL_DIR cannot be used")]
    Folder(#[source] std::io::Error),
}

/// Where mail goes. No Debug: it has a password.
pub enum Target {
    Smtp {
        url: SecretString,
        ca: Option<Vec<u8>>,
    },
    Files(PathBuf),
}

/// Everything about mail that is on.
pub struct Settings {
    pub target: Target,
    pub from: Mailbox,
    pub public_url: Option<Url>,
}

impl MailArgs {
    /// The checked settings; none where mail is off.
    pub fn settings(&self) -> Result<Option<Settings>, ConfigError> {
        let target = match self.mail_transport {
            Way::Off => return Ok(None),
            Way::Smtp => self.server()?,
            Way::Files => {
                let folder = self.mail_dir.clone();
                Target::Files(folder.ok_or(ConfigError::Invalid {
                    name: "MAIL_DIR",
                    expected: "set, as MAIL_TRANSPORT=files needs it",
                })?)
            }
        };
        let from = self.mail_from.as_deref().and_then(|text| text.parse().ok());
        let from = from.ok_or(ConfigError::Invalid {
            name: "MAIL_FROM",
            expected: "a sender like `Adfolio <no-reply@adfolio.example>`",
        })?;
        let public_url = self.public_url.clone();
        if public_url.as_ref().is_some_and(|url| !is_plain(url)) {
            return Err(ConfigError::Invalid {
                name: "PUBLIC_URL",
                expected: "an http or https address without query and credentials",
            });
        }
        Ok(Some(Settings {
            target,
            from,
            public_url,
        }))
    }

    fn server(&self) -> Result<Target, ConfigError> {
        let file = self.smtp_url_file.as_deref();
        let url = secret_from("SMTP_URL", self.smtp_url.as_ref(), file)?;
        if !is_encrypted(url.expose_secret()) {
            return Err(ConfigError::Invalid {
                name: "SMTP_URL",
                expected: "smtps://… or smtp://…?tls=required",
            });
        }
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|source| ConfigError::Unreadable {
                path: path.clone(),
                source,
            })
        };
        let ca = self.smtp_ca_file.as_ref().map(read).transpose()?;
        Ok(Target::Smtp { url, ca })
    }
}

/// Whether nothing goes to this server in the clear: amounts and passwords would.
fn is_encrypted(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    let tls: Vec<_> = url
        .query_pairs()
        .filter(|(name, _)| name == "tls")
        .map(|(_, value)| value.into_owned())
        .collect();
    let required = matches!(tls.as_slice(), [only] if only == "required");
    match url.scheme() {
        "smtps" => url.has_host() && (tls.is_empty() || required),
        "smtp" => url.has_host() && required,
        _ => false,
    }
}

fn is_plain(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_with_tls_are_accepted() {
        for right in [
            "smtps://ann:secret@mail.example",
            "smtps://mail.example:2465?tls=required",
            "smtp://ann:secret@mail.example:587?tls=required",
        ] {
            assert!(is_encrypted(right), "{right}");
        }
        for wrong in [
            "smtp://mail.example",
            "smtp://mail.example?tls=opportunistic",
            "smtp://mail.example?tls=required&tls=opportunistic",
            "smtps://mail.example?tls=none",
            "http://mail.example?tls=required",
            "mail.example",
            "smtps:",
        ] {
            assert!(!is_encrypted(wrong), "{wrong}");
        }
    }

    fn files() -> MailArgs {
        MailArgs {
            mail_transport: Way::Files,
            mail_dir: Some("mail".into()),
            mail_from: Some("Adfolio <no-reply@adfolio.example>".to_owned()),
            ..MailArgs::default()
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert!(MailArgs::default().settings().unwrap().is_none());
        assert!(files().settings().unwrap().is_some());
        let url = |text: &str| Some(text.parse().unwrap());
        for (args, named) in [
            (
                MailArgs {
                    mail_dir: None,
                    ..files()
                },
                "MAIL_DIR",
            ),
            (
                MailArgs {
                    mail_from: Some("nobody".to_owned()),
                    ..files()
                },
                "MAIL_FROM",
            ),
            (
                MailArgs {
                    mail_transport: Way::Smtp,
                    ..files()
                },
                "SMTP_URL",
            ),
            (
                MailArgs {
                    public_url: url("https://app.example/?next=evil"),
                    ..files()
                },
                "PUBLIC_URL",
            ),
        ] {
            let Err(error) = args.settings() else {
                panic!("{named} was accepted");
            };
            assert!(error.to_string().contains(named), "{error}");
        }
    }
}
