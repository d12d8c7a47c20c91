//! Adding accounts: the first ones are founders, of the others it is known who made them.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use serde_json::json;
use tracing::info;
use uuid::Uuid;

use super::entity::{Creator, NewStaff, SECOND_USERNAME, StaffMember, StaffState};
use super::{KEPT, repo};
use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::lookalike::{self, Owners};
use crate::password;
use crate::username::Username;

/// The account that was asked for, and the second founder if one was.
pub type Created = (StaffMember, Option<StaffMember>);

/// Adds a staff account, and a second founder with the first one.
///
/// An account that is made while there is no staff is a founder. A single founder could have no second pair of eyes:
/// every other account would be his own until another person has confirmed it.
pub async fn create(
    app: &App,
    caller: Caller,
    creator: Creator,
    new: NewStaff,
) -> Result<Created, AuthError> {
    // The transaction decides about the name, by the skeletons that are there.
    lookalike::fill(app, Owners::Staff).await?;
    let mut hashes = vec![password::hash(app.passwords.enter()?, new.password.clone()).await?];
    if let Some(second) = &new.second {
        hashes.push(password::hash(app.passwords.enter()?, second.password.clone()).await?);
    }
    let owned = app.clone();
    let outcome = app
        .write(move |tx| {
            Box::pin(async move { create_in_tx(tx, &owned, &caller, creator, &new, &hashes).await })
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
    hashes: &[String],
) -> Result<Created, AuthError> {
    let once = once(caller, creator, new);
    if let Creator::Admin(_) = creator
        && let Some(Answer::Kept(ids)) = once.earlier_in_tx(tx).await?
    {
        return kept_in_tx(tx, &ids).await;
    }
    let made_by = maker_in_tx(tx, creator).await?;
    if made_by.is_some() && new.second.is_some() {
        let refusal = Refusal::invalid(SECOND_USERNAME);
        return Err(refusal
            .detail("founders are made together, before all others")
            .into());
    }
    let mut members = vec![(&new.username, new.role)];
    members.extend(
        new.second
            .as_ref()
            .map(|second| (&second.username, StaffRole::Admin)),
    );
    let mut created = Vec::new();
    for ((username, role), hash) in members.into_iter().zip(hashes) {
        created.push(insert_in_tx(tx, app, caller, made_by, username, role, hash).await?);
    }
    let mut created = created.into_iter();
    let staff = created.next().ok_or(KEPT)?;
    let created = (staff, created.next());
    once.keep_in_tx(tx, created.clone()).await?;
    Ok(created)
}

/// Who makes the account: nobody if it is a founder. A caller without identity makes founders alone.
async fn maker_in_tx(tx: &mut Tx, creator: Creator) -> Result<Option<StaffId>, AuthError> {
    // Without the lock two callers could both be the first.
    let is_any = repo::is_any_in_tx(tx).await? || repo::lock_and_look_for_any_in_tx(tx).await?;
    match (creator, is_any) {
        (_, false) => Ok(None),
        (Creator::Bootstrap, true) => Err(AuthError::NotAuthenticated),
        (Creator::Admin(staff), true) => Ok(Some(StaffId(staff.id))),
    }
}

async fn insert_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    made_by: Option<StaffId>,
    username: &Username,
    role: StaffRole,
    hash: &str,
) -> Result<StaffMember, AuthError> {
    let now = app.clock.now();
    let staff = StaffMember {
        id: StaffId(app.ids.next()),
        username: username.as_str().to_owned(),
        role,
        state: StaffState::Active,
        must_change_password: false,
        created_at: now,
        made_by,
        confirmed_by: None,
        has_totp: false,
        passkeys: 0,
    };
    repo::insert_in_tx(tx, &staff, username.key(), hash).await?;
    // Records nothing where no member of staff calls.
    audit::Entry::new("auth.create_staff", staff.id)
        .after(&json!({"username": staff.username, "role": role.as_str(), "founder": made_by.is_none()}))?
        .record_in_tx(tx, caller, now)
        .await?;
    let by = made_by.map_or(Uuid::nil(), |id| id.0);
    info!(staff = %by, action = "create staff", target = %staff.id, role = %role, "staff action");
    Ok(staff)
}

async fn kept_in_tx(tx: &mut Tx, ids: &[u8]) -> Result<Created, AuthError> {
    let mut found = Vec::new();
    for id in ids.chunks(16) {
        let id = Uuid::from_slice(id).map_err(|_| KEPT)?;
        found.push(repo::lock_in_tx(tx, StaffId(id)).await?.ok_or(KEPT)?);
    }
    let mut found = found.into_iter();
    Ok((found.next().ok_or(KEPT)?, found.next()))
}

/// A keyed call keeps the ids of the accounts. Nobody owns the keys of a caller without identity, so such a call has
/// none.
fn once(caller: &Caller, creator: Creator, new: &NewStaff) -> Once<Created> {
    let encode = |(staff, second): &Created| {
        let ids = std::iter::once(staff).chain(second);
        ids.flat_map(|member| member.id.0.into_bytes()).collect()
    };
    match creator {
        Creator::Admin(staff) => Once::keeping(caller, staff.id, new.digest(), encode),
        Creator::Bootstrap => Once::keeping(&Caller::system(), Uuid::nil(), new.digest(), encode),
    }
}
