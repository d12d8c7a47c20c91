//! Login and logout of staff, right and wrong, and their audit entries.

use std::net::IpAddr;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::refusal::{Reason, Refusal};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use tracing::info;

use super::entity::{StaffMember, StaffState};
use super::factor::{self, Shown};
use super::repo;
use crate::app::App;
use crate::attempt::{self, Attempt};
use crate::device::{self, DeviceToken};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::session::{self, Client, Kind, Opened, Opening, Origin, Owner, TokenDigest};
use crate::username;

/// A login as a client sends it.
#[derive(Debug)]
pub struct Login {
    /// As typed.
    pub username: String,
    /// As typed.
    pub password: SecretString,
    /// Of the second factor; empty without one.
    pub code: SecretString,
    pub client_address: String,
    /// Of an earlier login from the same device.
    pub device: Option<DeviceToken>,
}

/// A member of staff with the session that was just opened.
#[derive(Debug)]
pub struct LoggedIn {
    pub member: StaffMember,
    pub session: Opened,
    /// For the device.
    pub device: DeviceToken,
}

/// Why a login under a name that exists is refused.
pub(super) enum Refused {
    Password,
    Disabled,
    /// The password is right and no code was sent.
    NoCode,
    Code,
    /// The counter of a passkey went back.
    Copied,
}

impl Refused {
    /// Its name in the audit log.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Password => "wrong_password",
            Self::Disabled => "disabled",
            Self::NoCode => "no_code",
            Self::Code => "wrong_code",
            Self::Copied => "passkey_copied",
        }
    }

    /// Whether it was a guess. A client that learns from the answer to ask for the code is none, or everybody who logs
    /// in would use up what the network may fail.
    fn is_guess(&self) -> bool {
        matches!(self, Self::Password | Self::Code)
    }
}

impl From<Refused> for AuthError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Password | Refused::Copied => Self::BadCredentials,
            Refused::Disabled => Refusal::new(Reason::AccountDisabled).into(),
            Refused::NoCode | Refused::Code => factor::required().into(),
        }
    }
}

/// Opens a staff session for the right password, under the same rules and limits as a user's login.
///
/// Every attempt under a name that exists is audited; one under another name is only counted, because people type
/// passwords into the field of the name. The limits bound the entries of failed ones.
pub async fn login(app: &App, caller: Caller, login: Login) -> Result<LoggedIn, AuthError> {
    attempt::require_credentials(&login.username, &login.password)?;
    let outcome = try_login(app, caller, login).await;
    attempt::count("staff", &outcome);
    outcome
}

async fn try_login(app: &App, caller: Caller, login: Login) -> Result<LoggedIn, AuthError> {
    let key = username::key_of(&login.username);
    let address = &login.client_address;
    let ticket = app.passwords.enter()?;
    let device = device::known(app, Kind::Staff, &key, login.device.as_ref()).await?;
    let attempt = attempt::begin_login(app, Kind::Staff, &key, device, address).await?;
    let (id, stored) = repo::find_credentials(&app.pool, &key).await?.unzip();
    let right = app
        .passwords
        .verify(ticket, login.password, stored.clone())
        .await?;
    let Some(id) = id else {
        metrics::counter!("auth_unknown_staff_logins_total").increment(1);
        attempt::fail(app, &attempt).await?;
        return Err(AuthError::BadCredentials);
    };
    let known = stored.filter(|_| right);
    let evaluated = Evaluated {
        attempt: attempt.clone(),
        code: login.code,
        entering: Entering {
            caller,
            address: login.client_address,
            device: login.device,
        },
    };
    let owned = app.clone();
    // A refusal is an outcome, not an error: what failed is committed with it.
    let outcome = app
        .write(move |tx| {
            Box::pin(async move { evaluated.decide_in_tx(tx, &owned, id, known).await })
        })
        .await;
    let is_wrong = matches!(&outcome, Ok(Err(refused)) if refused.is_guess());
    attempt::settle(app, &attempt, is_wrong).await;
    let opened = outcome??;
    info!(staff = %id, action = "log in", "staff action");
    Ok(opened)
}

/// An attempt under a name that exists.
struct Evaluated {
    attempt: Attempt,
    code: SecretString,
    entering: Entering,
}

impl Evaluated {
    /// Opens a session if `known`, the hash that the typed password was right for, is still the password's, and the
    /// member is active and shows the second factor, if there is one. Only who knows the password learns that the account
    /// is disabled, and whether it has a second factor.
    async fn decide_in_tx(
        self,
        tx: &mut Tx,
        app: &App,
        id: StaffId,
        known: Option<String>,
    ) -> Result<Result<LoggedIn, Refused>, AuthError> {
        let member = repo::lock_in_tx(tx, id)
            .await?
            .ok_or(AuthError::BadCredentials)?;
        if known.is_none() || repo::password_in_tx(tx, id).await? != known {
            return self.fail_in_tx(tx, app, &member, Refused::Password).await;
        }
        if member.state == StaffState::Disabled {
            // Counts as a failure, which bounds how often it is audited.
            return self.fail_in_tx(tx, app, &member, Refused::Disabled).await;
        }
        let Some(shown) = factor::show_in_tx(tx, app, &member, &self.code).await? else {
            let is_missing = self.code.expose_secret().is_empty();
            let why = if is_missing {
                Refused::NoCode
            } else {
                Refused::Code
            };
            return self.fail_in_tx(tx, app, &member, why).await;
        };
        attempt::succeed_in_tx(tx, &self.attempt).await?;
        Ok(Ok(self.entering.open_in_tx(tx, app, member, shown).await?))
    }

    async fn fail_in_tx<T>(
        &self,
        tx: &mut Tx,
        app: &App,
        member: &StaffMember,
        why: Refused,
    ) -> Result<Result<T, Refused>, AuthError> {
        attempt::fail_in_tx(tx, app, &self.attempt).await?;
        self.entering.refuse_in_tx(tx, app, member, &why).await?;
        Ok(Err(why))
    }
}

/// Who is about to get a session, or is refused one, as far as the account is known.
pub(super) struct Entering {
    pub caller: Caller,
    /// The client's.
    pub address: String,
    pub device: Option<DeviceToken>,
}

impl Entering {
    /// Opens the session.
    pub async fn open_in_tx(
        self,
        tx: &mut Tx,
        app: &App,
        member: StaffMember,
        shown: Option<Shown>,
    ) -> Result<LoggedIn, AuthError> {
        let now = app.clock.now();
        let owner = Owner::Staff(member.id);
        let opening = Opening {
            shows_factor: shown.is_some(),
            ..Opening::new(owner, Client::default(), Origin::Login)
        };
        let session = session::open_in_tx(tx, app, &opening).await?;
        let device = device::remember_in_tx(tx, owner, self.device, now).await?;
        repo::save_login_in_tx(tx, member.id, now).await?;
        audit::Entry::new("auth.staff_login", member.id)
            .after(&described(&self.address, shown))?
            .record_in_tx(tx, &as_member(&self.caller, &member), now)
            .await?;
        Ok(LoggedIn {
            member,
            session,
            device,
        })
    }

    /// Records the refusal.
    pub async fn refuse_in_tx(
        &self,
        tx: &mut Tx,
        app: &App,
        member: &StaffMember,
        why: &Refused,
    ) -> Result<(), AuthError> {
        audit::Entry::new("auth.staff_login_failed", member.id)
            .after(&json!({"address": address(&self.address), "failure": why.as_str()}))?
            .record_in_tx(tx, &as_member(&self.caller, member), app.clock.now())
            .await?;
        Ok(())
    }
}

/// Ends the session of a staff token. An ended or unknown token is no error.
pub async fn logout(app: &App, caller: Caller, token: TokenDigest) -> Result<(), AuthError> {
    let found = session::find(app, token).await?;
    let Some(session) = found.filter(|session| Kind::Staff.matches(session.owner)) else {
        return Ok(());
    };
    let id = StaffId(session.owner.id());
    let member = repo::find(&app.pool, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    let now = app.clock.now();
    app.write(move |tx| {
        Box::pin(async move {
            if session::end_found_in_tx(tx, &session, now).await? {
                audit::Entry::new("auth.staff_logout", id)
                    .record_in_tx(tx, &as_member(&caller, &member), now)
                    .await?;
            }
            Ok(())
        })
    })
    .await
}

/// The call as one of the member whose account it is about: before a login nobody is authenticated.
fn as_member(caller: &Caller, member: &StaffMember) -> Caller {
    Caller {
        staff: Some(Staff {
            id: member.id.0,
            role: member.role,
        }),
        ..caller.clone()
    }
}

/// A login, for the audit log.
fn described(client_address: &str, shown: Option<Shown>) -> Value {
    let mut login = json!({"address": address(client_address)});
    if let Some(shown) = shown {
        login["second_factor"] = shown.as_str().into();
    }
    login
}

/// The client's address in its usual form; none if it is no address.
fn address(text: &str) -> Option<String> {
    let address: IpAddr = text.parse().ok()?;
    Some(address.to_canonical().to_string())
}
