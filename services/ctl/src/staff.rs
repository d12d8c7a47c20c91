//! `adfolioctl staff`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfolio_kit::config::secret_from;
use adfolio_kit::identity::StaffRole as Role;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{CreateStaffRequest, ListStaffRequest, Staff, StaffRole};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use uuid::Uuid;

use crate::names::{name, time};
use crate::output::say;
use crate::services::{CallError, Listing, Services, ask, keyed, list, operator};

/// Staff accounts
#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Creates a staff account
    Create(Create),
    /// Lists staff accounts
    List(Listing),
}

impl StaffCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::List(listing) => list(services, listing).await,
        }
    }
}

/// Creates a staff account
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("password").required(true))]
pub struct Create {
    /// Login name
    #[arg(long)]
    username: String,
    /// Role: admin, support, finance or operator
    #[arg(long)]
    role: Role,
    /// File with the password; a line break at its end is ignored
    #[arg(long, group = "password")]
    password_file: Option<PathBuf>,
    /// Read the password from standard input
    #[arg(long, group = "password")]
    password_stdin: bool,
    /// Leave an existing account of this name as it is
    #[arg(long)]
    if_missing: bool,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let password = read_password(self.password_file.as_deref())?;
        create(
            services,
            &self.username,
            &password,
            self.role,
            self.if_missing,
        )
        .await?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Creates an account. With `if_missing`, an existing account of this name is left as it is.
pub async fn create(
    services: &Services,
    username: &str,
    password: &SecretString,
    role: Role,
    if_missing: bool,
) -> anyhow::Result<()> {
    let message = CreateStaffRequest {
        username: username.to_owned(),
        password: password.expose_secret().to_owned(),
        role: match role {
            Role::Admin => StaffRole::Admin,
            Role::Support => StaffRole::Support,
            Role::Finance => StaffRole::Finance,
            Role::Operator => StaffRole::Operator,
        }
        .into(),
    };
    let caller = keyed(operator(), &Uuid::now_v7().to_string())?;
    match ask!(services.auth_admin, create_staff, caller, message) {
        Ok(answer) => {
            let id = answer.staff.map(|staff| staff.id).unwrap_or_default();
            say(&format!("created {username} with the role {role} ({id})"));
            Ok(())
        }
        Err(error) if if_missing && is_taken(&error) => {
            say(&format!(
                "{username} is there already and was left as it is"
            ));
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<ExitCode> {
    let message = ListStaffRequest { page: None };
    let staff = list!(
        services.auth_admin,
        list_staff,
        operator(),
        message,
        listing.max
    )
    .await?;
    let row = |member: Staff| {
        vec![
            ("id", json!(member.id)),
            ("username", json!(member.username)),
            ("role", name::<StaffRole>(member.role)),
            ("created_at", time(member.created_at)),
        ]
    };
    listing.format.list(staff.into_iter().map(row).collect());
    Ok(ExitCode::SUCCESS)
}

fn is_taken(error: &CallError) -> bool {
    error
        .refusal()
        .is_some_and(|refusal| refusal.reason == Reason::UsernameTaken)
}

/// Reads the password. It is never an argument, because other users of the machine can see those.
pub fn read_password(file: Option<&Path>) -> anyhow::Result<SecretString> {
    if let Some(file) = file {
        return Ok(secret_from("PASSWORD", None, Some(file))?);
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .context("cannot read the password from standard input")?;
    Ok(text.trim_end_matches(['\r', '\n']).into())
}
