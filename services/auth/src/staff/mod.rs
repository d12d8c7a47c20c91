//! Staff accounts: who may act for the platform, and their sessions.

mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::idempotency::{Claim, claim_in_tx, store_in_tx};
use adfolio_kit::identity::{Caller, IdempotencyKey, Staff, StaffRole};
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::{Reason, Refusal, is_unique_violation};
use adfolio_kit::wire;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::StaffMember;

use crate::attempt::{self, Scopes};
use crate::context::Context;
use crate::error::AuthError;
use crate::password;
use crate::session::{self, Client, Opened, Owner, Session, TokenDigest};
use crate::username::{self, Username};

/// Who may add a staff member.
#[derive(Clone, Debug)]
pub enum Creator {
    /// An admin.
    Admin(Staff, Caller),
    /// A caller without identity, on the private network: only while there is no staff at all.
    Bootstrap,
}

impl Creator {
    /// The creator that a call's identity makes, or NOT_AUTHENTICATED or FORBIDDEN.
    ///
    /// The gateway never passes a call on without the identity it verified, so a call without any comes from an operator
    /// on the private network.
    pub fn of(caller: &Caller) -> Result<Self, Refusal> {
        if caller.staff.is_none() && caller.user.is_none() {
            return Ok(Self::Bootstrap);
        }
        caller
            .require_staff(&[])
            .map(|staff| Self::Admin(staff, caller.clone()))
    }
}

/// A staff account to add.
#[derive(Debug)]
pub struct NewStaff {
    /// Login name.
    pub username: Username,
    /// Password.
    pub password: SecretString,
    /// What the member may do.
    pub role: StaffRole,
    /// Makes a repeated call one call.
    pub key: Option<IdempotencyKey>,
}

impl NewStaff {
    /// Checks the fields.
    pub fn parse(
        username: &str,
        password: SecretString,
        role: StaffRole,
        key: Option<IdempotencyKey>,
    ) -> Result<Self, Refusal> {
        let username = Username::parse(username).ok_or_else(|| Refusal::invalid("username"))?;
        if !password::is_acceptable(password.expose_secret()) {
            return Err(Refusal::invalid("password"));
        }
        Ok(Self {
            username,
            password,
            role,
            key,
        })
    }

    /// What tells two requests with one key apart. Without the password: a fast digest of it must not be stored.
    fn digest(&self) -> [u8; 32] {
        use sha2::{Digest, Sha256};
        Sha256::digest(format!("{}\0{}", self.username.as_str(), self.role)).into()
    }
}

/// Adds a staff account.
pub async fn create(
    context: &Context,
    creator: Creator,
    new: NewStaff,
) -> Result<StaffMember, AuthError> {
    let hash = context
        .passwords
        .enter()?
        .hash(new.password.clone())
        .await?;
    let context_here = context.clone();
    let outcome = db::write(&context.pool, move |tx| {
        Box::pin(async move { create_in_tx(tx, &context_here, creator, &new, &hash).await })
    })
    .await;
    context.notifier.notify();
    match outcome {
        Err(AuthError::Database(error))
            if is_unique_violation(&error, repo::USERNAME_CONSTRAINT) =>
        {
            Err(Refusal::new(Reason::UsernameTaken).field("username").into())
        }
        other => other,
    }
}

async fn create_in_tx(
    tx: &mut Tx,
    context: &Context,
    creator: Creator,
    new: &NewStaff,
    hash: &str,
) -> Result<StaffMember, AuthError> {
    let (by, key) = match &creator {
        Creator::Admin(staff, _) => (staff.id, new.key.as_ref()),
        Creator::Bootstrap if repo::lock_and_look_for_any_in_tx(tx).await? => {
            return Err(Refusal::new(Reason::NotAuthenticated).into());
        }
        Creator::Bootstrap => (Uuid::nil(), None),
    };
    if let Some(key) = key
        && let Claim::Replay(id) =
            claim_in_tx(tx, by, key, "auth.CreateStaff", &new.digest()).await?
    {
        let id = Uuid::from_slice(&id).map_err(|_| AuthError::Unknown("response"))?;
        return repo::lock_in_tx(tx, id)
            .await?
            .ok_or(AuthError::Unknown("response"));
    }
    let now = context.clock.now();
    let username = new.username.as_str().to_owned();
    let staff = StaffMember {
        id: context.ids.next(),
        username,
        role: new.role,
        created_at: now,
    };
    repo::insert_in_tx(tx, &staff, new.username.key(), hash).await?;
    if let Some(key) = key {
        store_in_tx(tx, by, key, staff.id.as_bytes()).await?;
    }
    if let Creator::Admin(_, caller) = &creator {
        audit::Entry::new("auth.create_staff", staff.id)
            .after(&json!({"username": staff.username, "role": staff.role.as_str()}))?
            .record_in_tx(tx, caller, now)
            .await?;
    }
    info!(staff = %by, action = "create staff", target = %staff.id, role = %staff.role, "staff action");
    Ok(staff)
}

/// Opens a staff session for the right password, under the same rules and limits as a user's login.
pub async fn login(
    context: &Context,
    username: &str,
    password: SecretString,
    client_address: &str,
) -> Result<(StaffMember, Opened), AuthError> {
    let key = username::key_of(username);
    let scopes = Scopes::new("staff", &key, client_address);
    let ticket = context.passwords.enter()?;
    attempt::begin(context, scopes).await?;
    let (id, stored) = repo::find_credentials(&context.pool, &key).await?.unzip();
    let right = ticket.verify(password, stored).await?;
    let Some(id) = id.filter(|_| right) else {
        attempt::fail(context, scopes).await?;
        return Err(Refusal::new(Reason::BadCredentials).into());
    };
    let context_here = context.clone();
    let opened = db::write(&context.pool, move |tx| {
        Box::pin(async move {
            attempt::succeed_in_tx(tx, scopes).await?;
            let staff = repo::lock_in_tx(tx, id)
                .await?
                .ok_or_else(|| Refusal::new(Reason::BadCredentials))?;
            let (owner, client) = (Owner::Staff(id), Client::default());
            let session = session::open_in_tx(tx, &context_here, owner, &client).await?;
            Ok::<_, AuthError>((staff, session))
        })
    })
    .await?;
    context.notifier.notify();
    info!(staff = %id, action = "log in", "staff action");
    Ok(opened)
}

/// Whose staff token this is.
pub async fn verify_session(
    context: &Context,
    token: TokenDigest,
) -> Result<(Session, StaffMember), AuthError> {
    let session = session::verify(context, session::Kind::Staff, token).await?;
    let staff = repo::find(&context.pool, session.owner.id()).await?;
    Ok((
        session,
        staff.ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?,
    ))
}

/// A page of staff accounts, newest first.
pub async fn list(
    context: &Context,
    cursor: Option<&str>,
    page: Page,
) -> Result<(Vec<StaffMember>, Option<String>), AuthError> {
    let cursors = Cursor::new("auth.staff", "");
    let before = wire::cursor_id(&cursors, cursor)?.unwrap_or(Uuid::max());
    let rows = repo::list(&context.pool, before, page.fetch()).await?;
    Ok(page.cut(rows, |last| cursors.encode(&[&last.id.to_string()])))
}
