//! Staff accounts: who may act for the platform, and their sessions.

mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use secrecy::SecretString;
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::{Creator, NewStaff, StaffMember};

use crate::app::App;
use crate::attempt::{self, Scopes};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::lookalike::{self, Owners};
use crate::session::{self, Client, Opened, Opening, Origin, Owner, Session, TokenDigest};
use crate::{password, username};

/// A kept answer that is no id of a member of staff.
const KEPT: CoreError = CoreError::Corrupt("idempotency_keys.response");

/// Adds a staff account.
pub async fn create(
    app: &App,
    caller: Caller,
    creator: Creator,
    new: NewStaff,
) -> Result<StaffMember, AuthError> {
    // The transaction decides about the name, by the skeletons that are there.
    lookalike::fill(app, Owners::Staff).await?;
    let hash = password::hash(app.passwords.enter()?, new.password.clone()).await?;
    let owned = app.clone();
    let outcome = app
        .write(move |tx| {
            Box::pin(async move { create_in_tx(tx, &owned, &caller, creator, &new, &hash).await })
        })
        .await;
    outcome.map_err(|error| error.or_username_taken(&repo::USERNAME_CONSTRAINTS))
}

async fn create_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    creator: Creator,
    new: &NewStaff,
    hash: &str,
) -> Result<StaffMember, AuthError> {
    let by = match creator {
        Creator::Admin(staff) => staff.id,
        Creator::Bootstrap if repo::lock_and_look_for_any_in_tx(tx).await? => {
            return Err(AuthError::NotAuthenticated);
        }
        Creator::Bootstrap => Uuid::nil(),
    };
    let once = once(caller, creator, new);
    if let Some(Answer::Kept(id)) = once.earlier_in_tx(tx).await? {
        let id = Uuid::from_slice(&id).map_err(|_| KEPT)?;
        return Ok(repo::lock_in_tx(tx, StaffId(id)).await?.ok_or(KEPT)?);
    }
    let now = app.clock.now();
    let staff = StaffMember {
        id: StaffId(app.ids.next()),
        username: new.username.as_str().to_owned(),
        role: new.role,
        created_at: now,
    };
    repo::insert_in_tx(tx, &staff, new.username.key(), hash).await?;
    once.keep_in_tx(tx, staff.clone()).await?;
    // Records nothing where no member of staff calls.
    audit::Entry::new("auth.create_staff", staff.id)
        .after(&json!({"username": staff.username, "role": staff.role.as_str()}))?
        .record_in_tx(tx, caller, now)
        .await?;
    info!(staff = %by, action = "create staff", target = %staff.id, role = %staff.role, "staff action");
    Ok(staff)
}

/// A keyed call keeps the id of the account. Nobody owns the keys of a caller without identity, so such a call has
/// none.
fn once(caller: &Caller, creator: Creator, new: &NewStaff) -> Once<StaffMember> {
    let encode = |staff: &StaffMember| staff.id.0.as_bytes().to_vec();
    match creator {
        Creator::Admin(staff) => Once::keeping(caller, staff.id, new.digest(), encode),
        Creator::Bootstrap => Once::keeping(&Caller::system(), Uuid::nil(), new.digest(), encode),
    }
}

/// Opens a staff session for the right password, under the same rules and limits as a user's login.
pub async fn login(
    app: &App,
    username: &str,
    password: SecretString,
    client_address: &str,
) -> Result<(StaffMember, Opened), AuthError> {
    let outcome = try_login(app, username, password, client_address).await;
    attempt::count("staff", &outcome);
    outcome
}

async fn try_login(
    app: &App,
    username: &str,
    password: SecretString,
    client_address: &str,
) -> Result<(StaffMember, Opened), AuthError> {
    let key = username::key_of(username);
    let scopes = Scopes::new("staff", &key, client_address);
    let ticket = app.passwords.enter()?;
    attempt::begin(app, scopes).await?;
    let (id, stored) = repo::find_credentials(&app.pool, &key).await?.unzip();
    let right = app.passwords.verify(ticket, password, stored).await?;
    let Some(id) = id.filter(|_| right) else {
        attempt::fail(app, scopes).await?;
        return Err(AuthError::BadCredentials);
    };
    let owned = app.clone();
    let opened = app
        .write(move |tx| {
            Box::pin(async move {
                attempt::succeed_in_tx(tx, scopes).await?;
                let staff = repo::lock_in_tx(tx, id)
                    .await?
                    .ok_or(AuthError::BadCredentials)?;
                let opening = Opening::new(Owner::Staff(id), Client::default(), Origin::Login);
                let session = session::open_in_tx(tx, &owned, &opening).await?;
                Ok::<_, AuthError>((staff, session))
            })
        })
        .await?;
    info!(staff = %id, action = "log in", "staff action");
    Ok(opened)
}

/// The session of a staff token, and its owner.
pub async fn verify_session(
    app: &App,
    token: TokenDigest,
) -> Result<(Session, StaffMember), AuthError> {
    let session = session::verify(app, session::Kind::Staff, token).await?;
    let staff = repo::find(&app.pool, StaffId(session.owner.id())).await?;
    Ok((session, staff.ok_or(AuthError::NotAuthenticated)?))
}

/// Staff added before `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<StaffId>,
    fetch: i64,
) -> Result<Vec<StaffMember>, AuthError> {
    repo::list(&app.pool, before, fetch).await
}
