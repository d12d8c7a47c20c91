//! Passkeys: a second factor that no code can be phished of, and a login without a password.
//!
//! | ceremony | begun by | ends with |
//! |---|---|---|
//! | login | anybody | a session of the passkey's owner, in which the second factor is shown |
//! | registration | a session whose second factor is fresh, or whose member has none | another passkey |
//! | confirmation | a session | the same session, fresh |
//!
//! The device checks its owner each time (user verification), so a passkey is two factors by itself. A ceremony that has
//! ended, is late, or was begun for something else opens nothing.

mod ceremony;
mod relying_party;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal, Rule};
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::{info, warn};
use webauthn_rs::prelude as webauthn;
use webauthn_rs_proto::ResidentKeyRequirement;

pub use relying_party::RelyingParty;
pub use repo::remove_all_in_tx;

use self::ceremony::{Purpose, Returned};
use super::entity::{StaffMember, StaffState};
use super::factor::{self, Shown, active_in_tx};
use super::login::{Entering, LoggedIn, Refused};
use crate::app::App;
use crate::attempt;
use crate::device::DeviceToken;
use crate::error::AuthError;
use crate::free_form::{is_blank, is_free_form};
use crate::ids::{PasskeyId, StaffId};
use crate::session::{self, Session, TokenDigest};

/// Passkeys of one member at most.
const MOST: usize = 10;

/// Characters of a name at most.
const LONGEST_NAME: usize = 64;

/// What operators read of a passkey that may have been copied.
const COUNTER_WENT_BACK: &str = "the counter of a passkey went back: it may have been copied";

/// The failure of a passkey that is none of the member's, in the audit log.
const UNKNOWN: &str = "unknown_passkey";

/// The field that names a passkey.
pub const PASSKEY_ID: &str = "passkey_id";

/// A passkey of a member.
#[derive(Clone, Debug)]
pub struct Passkey {
    pub id: PasskeyId,
    credential: webauthn::Passkey,
    pub name: String,
    pub created_at: DateTime<Utc>,
    /// None before the first time.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// A ceremony that has begun.
#[derive(Debug)]
pub struct Begun {
    /// What it ends with.
    pub ceremony: SecretString,
    /// What the browser asks a device for, as JSON.
    pub options: String,
}

/// What a browser answers at the end of a ceremony.
#[derive(Debug)]
pub struct Ended {
    pub ceremony: SecretString,
    /// JSON.
    pub credential: SecretString,
}

impl Ended {
    /// What the device has signed, or VALIDATION of `credential`.
    fn credential<C: DeserializeOwned>(&self) -> Result<C, Refusal> {
        serde_json::from_str(self.credential.expose_secret())
            .map_err(|error| malformed(error.to_string()))
    }

    /// The ceremony, if it is of this kind and in time.
    fn returned<S: DeserializeOwned>(
        &self,
        app: &App,
        purpose: Purpose,
    ) -> Result<Returned<S>, Refusal> {
        ceremony::open(&app.sealer, purpose, &self.ceremony, app.clock.now())
    }
}

fn malformed(detail: String) -> Refusal {
    Refusal::invalid("credential").detail(detail)
}

/// Begins a login. Nothing is stored.
pub fn begin_login(app: &App) -> Result<Begun, AuthError> {
    let party = app.relying_party.get()?;
    let (options, state) = party
        .start_discoverable_authentication()
        .map_err(|error| failed(&error))?;
    begun(app, Purpose::Login, &options.public_key, state)
}

/// Begins the registration of another passkey.
pub async fn begin_registration(app: &App, caller: &Caller) -> Result<Begun, AuthError> {
    let party = app.relying_party.get()?;
    let member = member_of(app, caller).await?;
    let known = repo::of_member(&app.pool, member.id).await?;
    require_room(&known)?;
    let known = known
        .iter()
        .map(|passkey| passkey.credential.cred_id().clone());
    let (mut options, state) = party
        .start_passkey_registration(
            member.id.0,
            &member.username,
            &member.username,
            Some(known.collect()),
        )
        .map_err(|error| failed(&error))?;
    // A login names nobody, so the device has to know whose passkey it is.
    if let Some(selection) = &mut options.public_key.authenticator_selection {
        selection.resident_key = Some(ResidentKeyRequirement::Required);
        selection.require_resident_key = true;
    }
    begun(
        app,
        Purpose::Registration(member.id),
        &options.public_key,
        state,
    )
}

/// Begins to show a passkey in the caller's session.
pub async fn begin_confirmation(app: &App, caller: &Caller) -> Result<Begun, AuthError> {
    let party = app.relying_party.get()?;
    let member = member_of(app, caller).await?;
    let known = repo::of_member(&app.pool, member.id).await?;
    if known.is_empty() {
        return Err(Refusal::not_found("second_factor").into());
    }
    let known: Vec<_> = known
        .into_iter()
        .map(|passkey| passkey.credential)
        .collect();
    let (options, state) = party
        .start_passkey_authentication(&known)
        .map_err(|error| failed(&error))?;
    begun(
        app,
        Purpose::Confirmation(member.id),
        &options.public_key,
        state,
    )
}

fn begun(
    app: &App,
    purpose: Purpose,
    options: &impl Serialize,
    state: impl Serialize,
) -> Result<Begun, AuthError> {
    let options = serde_json::to_string(options);
    Ok(Begun {
        ceremony: ceremony::seal(&app.sealer, purpose, state, app.clock.now())?,
        options: options.map_err(|_| CoreError::Corrupt("options of a ceremony"))?,
    })
}

/// Opens a session for a passkey. Who has none learns nothing of any account, and nothing is counted: there is nothing to
/// guess.
pub async fn login(
    app: &App,
    caller: Caller,
    ended: Ended,
    address: String,
    device: Option<DeviceToken>,
) -> Result<LoggedIn, AuthError> {
    let outcome = try_login(app, caller, ended, address, device).await;
    attempt::count("staff", &outcome);
    outcome
}

async fn try_login(
    app: &App,
    caller: Caller,
    ended: Ended,
    address: String,
    device: Option<DeviceToken>,
) -> Result<LoggedIn, AuthError> {
    let party = app.relying_party.get()?;
    let returned = ended.returned(app, Purpose::Login)?;
    let credential: webauthn::PublicKeyCredential = ended.credential()?;
    let (claimed, credential_id) = party
        .identify_discoverable_authentication(&credential)
        .map_err(|error| malformed(error.to_string()))?;
    let id = repo::owner(&app.pool, credential_id)
        .await?
        .filter(|id| id.0 == claimed)
        .ok_or(AuthError::BadCredentials)?;
    let owned = app.clone();
    let opened = app
        .write(move |tx| {
            Box::pin(async move {
                let login = PasskeyLogin {
                    caller,
                    address,
                    device,
                };
                login
                    .decide_in_tx(tx, &owned, id, &credential, returned)
                    .await
            })
        })
        .await??;
    info!(staff = %id, action = "log in by passkey", "staff action");
    Ok(opened)
}

struct PasskeyLogin {
    caller: Caller,
    address: String,
    device: Option<DeviceToken>,
}

impl PasskeyLogin {
    /// A refusal that is audited is an outcome, not an error: what it says is committed.
    async fn decide_in_tx(
        self,
        tx: &mut Tx,
        app: &App,
        id: StaffId,
        credential: &webauthn::PublicKeyCredential,
        returned: Returned<webauthn::DiscoverableAuthentication>,
    ) -> Result<Result<LoggedIn, Refused>, AuthError> {
        let member = super::repo::lock_in_tx(tx, id)
            .await?
            .ok_or(AuthError::BadCredentials)?;
        let known = repo::of_member(&mut *tx, id).await?;
        let found = known.iter().find(|passkey| {
            passkey.credential.cred_id().as_slice() == credential.get_credential_id()
        });
        // It was removed a moment ago.
        let found = &found.ok_or(AuthError::BadCredentials)?.credential;
        use_in_tx(tx, &returned).await?;
        let party = app.relying_party.get()?;
        let checked =
            party.finish_discoverable_authentication_v2(credential, returned.state, found);
        let entering = Entering {
            caller: self.caller,
            address: self.address,
            device: self.device,
        };
        let why = match checked {
            Ok(result) => {
                if member.state == StaffState::Disabled {
                    Refused::Disabled
                } else {
                    save_use_in_tx(tx, known, &result, app.clock.now()).await?;
                    let entered = entering.open_in_tx(tx, app, member, Some(Shown::Passkey));
                    return Ok(Ok(entered.await?));
                }
            }
            Err(webauthn::WebauthnError::CredentialPossibleCompromise) => {
                warn!(staff = %id, "{COUNTER_WENT_BACK}");
                Refused::Copied
            }
            Err(_) => return Err(AuthError::BadCredentials),
        };
        entering.refuse_in_tx(tx, app, &member, &why).await?;
        Ok(Err(why))
    }
}

/// Registers a passkey of the caller. The second factor counts as shown in the session: the device has just checked its
/// owner.
pub async fn register(
    app: &App,
    caller: Caller,
    token: TokenDigest,
    ended: Ended,
    name: &str,
) -> Result<Passkey, AuthError> {
    let party = app.relying_party.get()?;
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let name = named(name)?;
    let returned: Returned<webauthn::PasskeyRegistration> =
        ended.returned(app, Purpose::Registration(id))?;
    let credential: webauthn::RegisterPublicKeyCredential = ended.credential()?;
    let credential = party
        .finish_passkey_registration(&credential, &returned.state)
        .map_err(|error| malformed(error.to_string()))?;
    let now = app.clock.now();
    let passkey = Passkey {
        id: PasskeyId(app.ids.next()),
        credential,
        name,
        created_at: now,
        last_used_at: None,
    };
    let (owned, kept) = (app.clone(), passkey.clone());
    app.write(move |tx| {
        Box::pin(async move {
            let member = active_in_tx(tx, id).await?;
            let mut session = session::require_staff_in_tx(tx, &owned, id, token).await?;
            require_fresh(&member, &session, now)?;
            require_room(&repo::of_member(&mut *tx, id).await?)?;
            use_in_tx(tx, &returned).await?;
            if !repo::insert_in_tx(tx, id, &kept).await? {
                return Err(malformed("this passkey is registered already".to_owned()).into());
            }
            session::show_factor_in_tx(tx, &mut session, now).await?;
            audit::Entry::new("auth.register_passkey", id)
                .after(&described(&kept))?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok::<_, AuthError>(())
        })
    })
    .await?;
    info!(staff = %id, action = "register passkey", "staff action");
    Ok(passkey)
}

/// The passkeys of the caller, oldest first.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<Passkey>, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    Ok(repo::of_member(&app.pool, id).await?)
}

/// Removes a passkey of the caller. The last second factor stays: another admin resets it.
pub async fn remove(app: &App, caller: Caller, id: PasskeyId) -> Result<Passkey, AuthError> {
    let of = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let now = app.clock.now();
    let removed = app
        .write(move |tx| {
            Box::pin(async move {
                let member = active_in_tx(tx, of).await?;
                let known = repo::of_member(&mut *tx, of).await?;
                let is_last = known.len() == 1 && !member.has_totp;
                let found = known.into_iter().find(|passkey| passkey.id == id);
                let passkey = found.ok_or_else(|| Refusal::not_found(PASSKEY_ID))?;
                if is_last {
                    let refusal = Refusal::new(Reason::Forbidden).field(PASSKEY_ID);
                    return Err(refusal.detail("another admin resets the last one").into());
                }
                repo::remove_in_tx(tx, id).await?;
                audit::Entry::new("auth.remove_passkey", of)
                    .before(&described(&passkey))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, AuthError>(passkey)
            })
        })
        .await?;
    info!(staff = %of, action = "remove passkey", "staff action");
    Ok(removed)
}

/// Shows the second factor in the session of the token by a passkey. Answers until when the session is fresh.
pub async fn confirm(
    app: &App,
    caller: Caller,
    token: TokenDigest,
    ended: Ended,
) -> Result<DateTime<Utc>, AuthError> {
    app.relying_party.get()?;
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let returned: Returned<webauthn::PasskeyAuthentication> =
        ended.returned(app, Purpose::Confirmation(id))?;
    let credential: webauthn::PublicKeyCredential = ended.credential()?;
    let owned = app.clone();
    // A refusal is an outcome, not an error: what failed is committed with it.
    let session = app
        .write(move |tx| {
            Box::pin(async move {
                confirm_in_tx(tx, &owned, &caller, token, &credential, &returned).await
            })
        })
        .await??;
    info!(staff = %id, action = "confirm by passkey", "staff action");
    Ok(session.factor_fresh_until().unwrap_or(session.created_at))
}

async fn confirm_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    token: TokenDigest,
    credential: &webauthn::PublicKeyCredential,
    returned: &Returned<webauthn::PasskeyAuthentication>,
) -> Result<Result<Session, AuthError>, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    active_in_tx(tx, id).await?;
    let mut session = session::require_staff_in_tx(tx, app, id, token).await?;
    use_in_tx(tx, returned).await?;
    let now = app.clock.now();
    let party = app.relying_party.get()?;
    let checked = party.finish_passkey_authentication(credential, &returned.state);
    let why = match checked {
        Ok(result) => {
            let known = repo::of_member(&mut *tx, id).await?;
            let is_known = save_use_in_tx(tx, known, &result, now).await?;
            // It was removed since the ceremony began.
            (!is_known).then_some(UNKNOWN)
        }
        Err(webauthn::WebauthnError::CredentialPossibleCompromise) => {
            warn!(staff = %id, "{COUNTER_WENT_BACK}");
            Some(Refused::Copied.as_str())
        }
        Err(_) => Some(UNKNOWN),
    };
    if let Some(why) = why {
        audit::Entry::new("auth.second_factor_failed", id)
            .after(&json!({"by": Shown::Passkey.as_str(), "failure": why}))?
            .record_in_tx(tx, caller, now)
            .await?;
        return Ok(Err(factor::required().into()));
    }
    session::show_factor_in_tx(tx, &mut session, now).await?;
    audit::Entry::new("auth.show_second_factor", id)
        .after(&json!({"by": Shown::Passkey.as_str()}))?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(Ok(session))
}

/// Deletes a batch of ceremonies that have ended and run out.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let now = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, now).await?) })
    })
    .await
}

/// Uses up a ceremony, or VALIDATION of `ceremony`.
async fn use_in_tx<S>(tx: &mut Tx, returned: &Returned<S>) -> Result<(), AuthError> {
    if repo::use_ceremony_in_tx(tx, &returned.digest, returned.expires_at).await? {
        Ok(())
    } else {
        Err(ceremony::void().into())
    }
}

/// Stores what the use of one of these passkeys has changed, such as its counter; false if it is none of them.
async fn save_use_in_tx(
    tx: &mut Tx,
    known: Vec<Passkey>,
    result: &webauthn::AuthenticationResult,
    now: DateTime<Utc>,
) -> Result<bool, AuthError> {
    for mut passkey in known {
        if passkey.credential.update_credential(result).is_some() {
            repo::save_use_in_tx(tx, &passkey, now).await?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// A stolen session adds nothing to an account that has a second factor.
fn require_fresh(
    member: &StaffMember,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    if member.has_second_factor() && !session.shows_factor_at(now) {
        return Err(Refusal::new(Reason::SecondFactorRequired));
    }
    Ok(())
}

fn require_room(known: &[Passkey]) -> Result<(), Refusal> {
    if known.len() < MOST {
        return Ok(());
    }
    Err(Refusal::new(Reason::Forbidden).detail(format!("a member has at most {MOST} passkeys")))
}

/// A name as it is kept.
fn named(text: &str) -> Result<String, Refusal> {
    let name = text.trim();
    let rule = if is_blank(name) {
        Rule::Blank
    } else if name.chars().count() > LONGEST_NAME {
        Rule::TooLong
    } else if !is_free_form(name) {
        Rule::Form
    } else {
        return Ok(name.to_owned());
    };
    Err(Refusal::broken(rule, "name"))
}

async fn member_of(app: &App, caller: &Caller) -> Result<StaffMember, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    let member = super::repo::find(&app.pool, id).await?;
    member.ok_or(AuthError::NotAuthenticated)
}

/// A passkey, for the audit log.
fn described(passkey: &Passkey) -> Value {
    json!({"passkey_id": passkey.id.to_string(), "name": passkey.name})
}

/// The library fails to begin a ceremony only for a reason of its own.
fn failed(error: &webauthn::WebauthnError) -> CoreError {
    warn!(%error, "a ceremony could not begin");
    CoreError::Corrupt("a ceremony to begin")
}
