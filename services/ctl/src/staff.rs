//! `adfolioctl staff`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfolio_kit::config::secret_from;
use adfolio_kit::identity::StaffRole as Role;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    CreateStaffRequest, EndStaffSessionsRequest, ListStaffRequest, ResetStaffPasswordRequest,
    SetStaffRoleRequest, SetStaffStateRequest, Staff, StaffRole, StaffState,
    UnlockStaffLoginRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use uuid::Uuid;

use crate::names::{self, name, time};
use crate::output::{Format, Row, say};
use crate::services::{
    CallError, Change, Listing, ReasonedChange, Services, ask, keyed, list, operator,
};

/// Staff accounts
#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Creates a staff account
    Create(Create),
    /// Lists staff accounts
    List(Listing),
    /// Disables an account or makes it active again; the member's sessions end
    State(State),
    /// Changes the role of a member, whose sessions end
    Role(NewRole),
    /// Gives a member a one-time password, which is printed once; the member's sessions end
    ResetPassword(ResetPassword),
    /// Ends every session of a member
    SessionsEnd(SessionsEnd),
    /// Clears the failed logins of an account and its lock
    Unlock(Unlock),
}

impl StaffCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::List(listing) => list(services, listing).await,
            Self::State(state) => state.run(services).await,
            Self::Role(role) => role.run(services).await,
            Self::ResetPassword(reset) => reset.run(services).await,
            Self::SessionsEnd(end) => end.run(services).await,
            Self::Unlock(unlock) => unlock.run(services).await,
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
        role: wire_role(role).into(),
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
    let listed = |member: &Staff| {
        let mut row = row(member);
        row.extend([
            ("last_login_at", time(member.last_login_at)),
            ("sessions", json!(member.sessions)),
        ]);
        row
    };
    listing.print(&staff, listed);
    Ok(ExitCode::SUCCESS)
}

/// Disables an account or makes it active again; the member's sessions end
#[derive(Args, Debug)]
pub struct State {
    /// The member's id
    staff_id: String,
    /// The new state: active or disabled
    #[arg(value_parser = names::parse::<StaffState>, value_name = "STATE")]
    to: StaffState,
    #[command(flatten)]
    change: ReasonedChange,
}

impl State {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = SetStaffStateRequest {
            staff_id: self.staff_id,
            state: self.to.into(),
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, set_staff_state, caller, message)?;
        print(self.change.format, answer.staff)
    }
}

/// Changes the role of a member, whose sessions end
#[derive(Args, Debug)]
pub struct NewRole {
    /// The member's id
    staff_id: String,
    /// The new role: admin, support, finance or operator
    #[arg(value_name = "ROLE")]
    to: Role,
    #[command(flatten)]
    change: ReasonedChange,
}

impl NewRole {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = SetStaffRoleRequest {
            staff_id: self.staff_id,
            role: wire_role(self.to).into(),
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, set_staff_role, caller, message)?;
        print(self.change.format, answer.staff)
    }
}

/// Gives a member a one-time password, which is printed once; the member's sessions end
#[derive(Args, Debug)]
pub struct ResetPassword {
    /// The member's id
    staff_id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl ResetPassword {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = ResetStaffPasswordRequest {
            staff_id: self.staff_id,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, reset_staff_password, caller, message)?;
        let member = answer.staff.context("the answer has no member of staff")?;
        let mut shown = row(&member);
        shown.push(("one_time_password", json!(answer.one_time_password)));
        self.change.format.one(shown);
        Ok(ExitCode::SUCCESS)
    }
}

/// Ends every session of a member
#[derive(Args, Debug)]
pub struct SessionsEnd {
    /// The member's id
    staff_id: String,
    #[command(flatten)]
    change: Change,
}

impl SessionsEnd {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = EndStaffSessionsRequest {
            staff_id: self.staff_id,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, end_staff_sessions, caller, message)?;
        print(self.change.format, answer.staff)
    }
}

/// Clears the failed logins of an account and its lock
#[derive(Args, Debug)]
pub struct Unlock {
    /// Login name
    username: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Unlock {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = UnlockStaffLoginRequest {
            username: self.username,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, unlock_staff_login, caller, message)?;
        let cleared = vec![("cleared", json!(answer.cleared))];
        self.change.format.one(cleared);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(format: Format, member: Option<Staff>) -> anyhow::Result<ExitCode> {
    let member = member.context("the answer has no member of staff")?;
    format.one(row(&member));
    Ok(ExitCode::SUCCESS)
}

fn row(member: &Staff) -> Row {
    vec![
        ("id", json!(member.id)),
        ("username", json!(member.username)),
        ("role", name::<StaffRole>(member.role)),
        ("state", name::<StaffState>(member.state)),
        ("must_change_password", json!(member.must_change_password)),
        ("created_at", time(member.created_at)),
    ]
}

fn wire_role(role: Role) -> StaffRole {
    match role {
        Role::Admin => StaffRole::Admin,
        Role::Support => StaffRole::Support,
        Role::Finance => StaffRole::Finance,
        Role::Operator => StaffRole::Operator,
    }
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
