//! `adfolioctl staff`.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfolio_kit::config::secret_from;
use adfolio_kit::identity::StaffRole as Role;
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::{
    ConfirmStaffRequest, CreateStaffRequest, EndStaffSessionsRequest, Founder, ListStaffRequest,
    ResetSecondFactorRequest, ResetStaffPasswordRequest, SetStaffRoleRequest, SetStaffStateRequest,
    Staff, StaffRole, StaffState, UnlockStaffLoginRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
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
    /// Confirms that another person than its maker holds an account
    Confirm(Confirm),
    /// Disables an account or makes it active again; the member's sessions end
    State(State),
    /// Changes the role of a member, whose sessions end
    Role(NewRole),
    /// Gives a member a one-time password, which is printed once; the member's sessions end
    ResetPassword(ResetPassword),
    /// Removes the second factor of a member, who sets up another one; the member's sessions end
    ResetSecondFactor(ResetSecondFactor),
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
            Self::Confirm(confirm) => confirm.run(services).await,
            Self::State(state) => state.run(services).await,
            Self::Role(role) => role.run(services).await,
            Self::ResetPassword(reset) => reset.run(services).await,
            Self::ResetSecondFactor(reset) => reset.run(services).await,
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
    /// Login name of a second admin, made together with the first account: the two decide about each other's acts from
    /// the start. Refused once there is staff; with --if-missing it is then created like any other account
    #[arg(long, requires = "second_password_file")]
    second_username: Option<String>,
    /// File with the password of the second admin
    #[arg(long, requires = "second_username")]
    second_password_file: Option<PathBuf>,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let first = NewAccount {
            username: self.username,
            password: read_password(self.password_file.as_deref())?,
            role: self.role,
        };
        match self.second_username.zip(self.second_password_file) {
            None => create(services, &first, None, self.if_missing).await?,
            Some((username, file)) => {
                let second = NewAccount::admin(username, &file)?;
                found(services, &first, &second, self.if_missing).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// An account to create.
#[derive(Debug)]
pub struct NewAccount {
    username: String,
    password: SecretString,
    role: Role,
}

impl NewAccount {
    /// An admin whose password is in a file.
    pub fn admin(username: String, password_file: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            username,
            password: read_password(Some(password_file))?,
            role: Role::Admin,
        })
    }
}

/// Creates the first two accounts together. Where there is staff already that is refused; with `if_missing`, each is then
/// created by itself unless it exists.
pub async fn found(
    services: &Services,
    first: &NewAccount,
    second: &NewAccount,
    if_missing: bool,
) -> anyhow::Result<()> {
    let refused = match create(services, first, Some(second), false).await {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let call = refused.downcast_ref::<CallError>();
    let names_second = call.and_then(CallError::refusal).is_some_and(|refusal| {
        refusal.reason == Reason::Validation && refusal.field.as_deref() == Some("second_username")
    });
    if !(if_missing && names_second) {
        return Err(refused);
    }
    create(services, first, None, true).await?;
    create(services, second, None, true).await
}

/// Creates an account, perhaps with a second founder. With `if_missing`, an existing account of this name is left as it
/// is.
pub async fn create(
    services: &Services,
    new: &NewAccount,
    second: Option<&NewAccount>,
    if_missing: bool,
) -> anyhow::Result<()> {
    let username = &new.username;
    let message = CreateStaffRequest {
        username: username.clone(),
        password: new.password.expose_secret().to_owned(),
        role: wire_role(new.role).into(),
        second: second.map(|second| Founder {
            username: second.username.clone(),
            password: second.password.expose_secret().to_owned(),
        }),
    };
    let caller = keyed(operator(), &Uuid::now_v7().to_string())?;
    match ask!(services.auth_admin, create_staff, caller, message) {
        Ok(answer) => {
            for member in answer.staff.into_iter().chain(answer.second) {
                let (username, role) = (&member.username, name::<StaffRole>(member.role));
                let role = role.as_str().unwrap_or_default();
                say(&format!(
                    "created {username} with the role {role} ({})",
                    member.id
                ));
            }
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

/// Confirms that another person than its maker holds an account
#[derive(Args, Debug)]
pub struct Confirm {
    /// The member's id
    staff_id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Confirm {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = ConfirmStaffRequest {
            staff_id: self.staff_id,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, confirm_staff, caller, message)?;
        print(self.change.format, answer.staff)
    }
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

/// Removes the second factor of a member, who sets up another one; the member's sessions end
#[derive(Args, Debug)]
pub struct ResetSecondFactor {
    /// The member's id
    staff_id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl ResetSecondFactor {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = ResetSecondFactorRequest {
            staff_id: self.staff_id,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, reset_second_factor, caller, message)?;
        print(self.change.format, answer.staff)
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
        ("has_second_factor", json!(member.has_second_factor)),
        ("has_totp", json!(member.has_totp)),
        ("passkeys", json!(member.passkeys)),
        ("created_at", time(member.created_at)),
        ("made_by", or_null(&member.made_by_id)),
        ("confirmed_by", or_null(&member.confirmed_by_id)),
    ]
}

fn or_null(id: &str) -> Value {
    (!id.is_empty()).then_some(id).into()
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

/// Reads a password. It is never an argument, because other users of the machine can see those.
fn read_password(file: Option<&Path>) -> anyhow::Result<SecretString> {
    if let Some(file) = file {
        return Ok(secret_from("PASSWORD", None, Some(file))?);
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .context("cannot read the password from standard input")?;
    Ok(text.trim_end_matches(['\r', '\n']).into())
}
