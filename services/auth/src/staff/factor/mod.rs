//! The second factor: time-based one-time passwords, and recovery codes for a lost device. Passkeys are the other kind.
//!
//! | state | code at the login | a first code | another admin |
//! |---|---|---|---|
//! | none | not asked for | NOT_FOUND | NOTHING_CHANGED |
//! | enrolled | not asked for | activates it | resets it |
//! | active | required | shows it in the session | resets it |
//!
//! A code is compared and used up in one transaction that holds the lock on the member's row, and a wrong one counts like
//! a wrong password. What is stored opens nothing by itself: secrets are encrypted, of recovery codes there are hashes.

mod code;
mod repo;
mod rotation;
mod seal;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use clap::ValueEnum;
use secrecy::SecretString;
use serde_json::json;
use tracing::info;

pub use rotation::rotate;
pub use seal::{KEY, Keys, PREVIOUS_KEY, Sealer};

use self::code::{Code, RECOVERY_CODES, Secret};
use super::change::{admit_in_tx, lock_in_tx};
use super::entity::{Act, STAFF_ID, StaffMember, StaffState};
use super::passkey;
use crate::app::App;
use crate::attempt::{self, Attempt};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::session::{self, Kind, Owner, Session, TokenDigest};
use crate::username;

/// Whether staff may work without a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// A session without one may only enrol and confirm it, or log out.
    Required,
    /// Each member decides.
    Optional,
}

/// A stored second factor.
#[derive(Clone, Debug)]
struct Factor {
    sealed: Vec<u8>,
    is_active: bool,
    last_step: Option<i64>,
}

/// What a member needs to set up an authenticator app; only this answer has it.
#[derive(Debug)]
pub struct Enrolment {
    pub secret: SecretString,
    pub otpauth_uri: SecretString,
    pub recovery_codes: Vec<SecretString>,
}

/// A code of a session's holder, as a client sends it.
#[derive(Debug)]
pub struct CodeForm {
    pub token: TokenDigest,
    pub code: SecretString,
}

/// How a second factor was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Totp,
    RecoveryCode,
    Passkey,
}

impl Shown {
    /// Its name in the audit log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::RecoveryCode => "recovery_code",
            Self::Passkey => "passkey",
        }
    }
}

/// What a session may do as far as its second factor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether it may only enrol, confirm and log out.
    pub is_missing: bool,
    /// Until then the session is fresh; none where no second factor is active, or it was not shown.
    pub fresh_until: Option<DateTime<Utc>>,
}

impl Standing {
    /// Of a member's session.
    pub fn of(policy: Policy, member: &StaffMember, session: &Session) -> Self {
        let shown = session
            .factor_fresh_until()
            .filter(|_| member.has_second_factor());
        let is_needed = member.has_second_factor() || policy == Policy::Required;
        Self {
            is_missing: is_needed && shown.is_none(),
            fresh_until: shown,
        }
    }
}

/// The refusal of a missing or wrong code.
pub fn required() -> Refusal {
    Refusal::new(Reason::SecondFactorRequired).field("code")
}

/// Makes a secret and recovery codes, which a first code activates. Another enrolment replaces one that is not active; an
/// active one is for another admin to reset: a stolen session must not put its own in place of it.
pub async fn enroll(app: &App, caller: Caller) -> Result<Enrolment, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let secret = Secret::random();
    let sealed = app.sealer.seal(id, &secret)?;
    let (codes, hashes): (Vec<_>, Vec<_>) =
        (0..RECOVERY_CODES).map(|_| code::recovery_code()).unzip();
    let now = app.clock.now();
    let member = app
        .write(move |tx| {
            Box::pin(async move {
                let member = active_in_tx(tx, id).await?;
                if member.has_totp {
                    let refusal = Refusal::new(Reason::Forbidden).field(STAFF_ID);
                    return Err(refusal.detail("another admin resets an active one").into());
                }
                repo::replace_in_tx(tx, id, Some(&sealed), &hashes).await?;
                audit::Entry::new("auth.enroll_second_factor", id)
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, AuthError>(member)
            })
        })
        .await?;
    info!(staff = %id, action = "enroll second factor", "staff action");
    let (otpauth_uri, secret) = secret.describe(&member.username)?;
    Ok(Enrolment {
        secret,
        otpauth_uri,
        recovery_codes: codes,
    })
}

/// Shows the second factor in the session of the token, which is fresh from now on, and activates it the first time.
/// Answers until when the session is fresh. Wrong codes are limited in this session.
pub async fn confirm(
    app: &App,
    caller: Caller,
    form: CodeForm,
) -> Result<DateTime<Utc>, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let member = super::repo::find(&app.pool, id).await?;
    let member = member.ok_or(AuthError::NotAuthenticated)?;
    // Before anything is counted: an answer without a code must neither add to the failures nor clear them.
    if !repo::is_enrolled(&app.pool, id).await? {
        return Err(Refusal::not_found("second_factor").into());
    }
    let key = username::key_of(&member.username);
    let attempt = attempt::begin_in_session(app, Kind::Staff, &key, form.token).await?;
    let owned = app.clone();
    // A refusal is an outcome, not an error: what failed is committed with it.
    let session = app
        .write(move |tx| {
            Box::pin(async move { confirm_in_tx(tx, &owned, &caller, id, &attempt, &form).await })
        })
        .await??;
    info!(staff = %id, action = "confirm second factor", "staff action");
    Ok(session.factor_fresh_until().unwrap_or(session.created_at))
}

async fn confirm_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    id: StaffId,
    attempt: &Attempt,
    form: &CodeForm,
) -> Result<Result<Session, AuthError>, AuthError> {
    let member = active_in_tx(tx, id).await?;
    let mut session = session::require_staff_in_tx(tx, app, id, form.token).await?;
    let now = app.clock.now();
    // An app that was enrolled before the first passkey, perhaps by a thief, is not activated past it.
    if !member.has_totp && member.has_second_factor() && !session.shows_factor_at(now) {
        return Err(Refusal::new(Reason::SecondFactorRequired).into());
    }
    let shown = match repo::find_in_tx(tx, id).await? {
        Some(factor) => pass_in_tx(tx, app, id, &factor, &form.code).await?,
        // It was reset a moment ago.
        None => None,
    };
    let Some(shown) = shown else {
        attempt::fail_in_tx(tx, app, attempt).await?;
        audit::Entry::new("auth.second_factor_failed", id)
            .record_in_tx(tx, caller, now)
            .await?;
        return Ok(Err(required().into()));
    };
    attempt::succeed_in_tx(tx, attempt).await?;
    session::show_factor_in_tx(tx, &mut session, now).await?;
    if !member.has_totp {
        repo::activate_in_tx(tx, id, now).await?;
    }
    let action = if member.has_totp {
        "auth.show_second_factor"
    } else {
        "auth.activate_second_factor"
    };
    audit::Entry::new(action, id)
        .after(&json!({"by": shown.as_str()}))?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(Ok(session))
}

/// How the code of a login shows an active second factor; nothing to show without one. None: it is missing or wrong, or
/// only a passkey could be shown.
pub async fn show_in_tx(
    tx: &mut Tx,
    app: &App,
    member: &StaffMember,
    code: &SecretString,
) -> Result<Option<Option<Shown>>, AuthError> {
    let factor = repo::find_in_tx(tx, member.id).await?;
    let Some(factor) = factor.filter(|factor| factor.is_active) else {
        return Ok((member.passkeys == 0).then_some(None));
    };
    let shown = pass_in_tx(tx, app, member.id, &factor, code).await?;
    Ok(shown.map(Some))
}

/// Uses up a right code. The caller holds the lock on the member's row: of two with one code one gets in.
async fn pass_in_tx(
    tx: &mut Tx,
    app: &App,
    id: StaffId,
    factor: &Factor,
    code: &SecretString,
) -> Result<Option<Shown>, AuthError> {
    let now = app.clock.now();
    match Code::read(code) {
        None => Ok(None),
        Some(Code::Totp(code)) => {
            let secret = app.sealer.open(id, &factor.sealed)?;
            let step = secret.step_of(&code, now);
            let unused = step.filter(|step| factor.last_step.is_none_or(|last| last < *step));
            let Some(step) = unused else {
                return Ok(None);
            };
            let is_used = repo::use_step_in_tx(tx, id, step).await?;
            Ok(is_used.then_some(Shown::Totp))
        }
        // Recovery codes are for an app that is lost, so it must have worked once.
        Some(Code::Recovery(_)) if !factor.is_active => Ok(None),
        Some(Code::Recovery(hash)) => {
            let is_used = repo::use_recovery_code_in_tx(tx, id, &hash, now).await?;
            Ok(is_used.then_some(Shown::RecoveryCode))
        }
    }
}

/// Removes another member's second factors and ends the member's sessions. The person who resets it may hold the account
/// for a while, as after a reset of the password.
pub async fn reset(app: &App, act: Act) -> Result<StaffMember, AuthError> {
    let (by, on) = (act.by.id, act.on);
    let now = app.clock.now();
    let member = app
        .write(move |tx| Box::pin(async move { reset_in_tx(tx, &act, now).await }))
        .await?;
    info!(staff = %by, action = "reset second factor", target = %on, "staff action");
    Ok(member)
}

async fn reset_in_tx(tx: &mut Tx, act: &Act, now: DateTime<Utc>) -> Result<StaffMember, AuthError> {
    admit_in_tx(tx, act).await?;
    let mut member = lock_in_tx(tx, act.on).await?;
    let passkeys = passkey::remove_all_in_tx(tx, act.on).await?;
    if passkeys == 0 && repo::find_in_tx(tx, act.on).await?.is_none() {
        return Err(Refusal::new(Reason::NothingChanged).into());
    }
    (member.has_totp, member.passkeys) = (false, 0);
    repo::replace_in_tx(tx, act.on, None, &[]).await?;
    super::repo::save_factor_reset_in_tx(tx, act.on, StaffId(act.by.id), now).await?;
    session::revoke_all_in_tx(tx, Owner::Staff(act.on), now).await?;
    audit::Entry::new("auth.reset_second_factor", act.on)
        .reason(act.reason.as_str())
        .record_in_tx(tx, &act.caller, now)
        .await?;
    Ok(member)
}

/// The member, locked, if active.
pub(super) async fn active_in_tx(tx: &mut Tx, id: StaffId) -> Result<StaffMember, AuthError> {
    let member = super::repo::lock_in_tx(tx, id).await?;
    let member = member.filter(|member| member.state == StaffState::Active);
    member.ok_or(AuthError::NotAuthenticated)
}
