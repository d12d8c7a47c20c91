//! Accounts that a licence key opens: by registration, or later for a user without one.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use secrecy::{ExposeSecret, SecretString};
use tracing::info;

use super::entity::{Entry, LoggedIn, User, UserState};
use super::registration::{Registration, RegistrationForm};
use super::repo;
use super::state::{StateChanged, record_in_tx};
use crate::app::App;
use crate::attempt::guess;
use crate::error::AuthError;
use crate::license::{self, Code};
use crate::lookalike::{self, Owners};
use crate::session::{self, Client, Opening, Origin, Owner, TokenDigest};
use crate::{device, events, password};

/// The field of a registration that has the code.
const LICENSE_KEY: &str = "licenseKey";

/// The field of an opening that has the code.
const CODE: &str = "code";

/// Creates an account with an unused key and opens its first session. The key is spent, the account created and the
/// event written in one transaction: of many registrations with one key, or of one name, exactly one succeeds.
///
/// With a key that does not activate, the account waits for staff or another code; its session can do nothing else.
pub async fn register(app: &App, form: RegistrationForm) -> Result<LoggedIn, AuthError> {
    let registration = form.check()?;
    // Refused before the costly hash where possible; the transaction decides. The key comes first, there too: only who
    // has an unused one learns which names exist. Wrong ones are limited.
    let address = registration.client.address.as_deref().unwrap_or_default();
    let guesses = guess::Scopes::of_registration(&app.guesses, address);
    let check = async {
        let code = license::check(app, &registration.license_key, LICENSE_KEY).await?;
        if lookalike::is_taken(app, Owners::Users, &registration.username).await? {
            // Once more: the registration that took the name may have used this key, which then reveals nothing.
            license::check(app, &registration.license_key, LICENSE_KEY).await?;
            return Err(AuthError::UsernameTaken);
        }
        Ok(code)
    };
    let code = guess::evaluate(app, guesses, check).await?;
    let hash = password::hash(app.passwords.enter()?, registration.password.clone()).await?;
    let owned = app.clone();
    let outcome = app
        .write(move |tx| {
            Box::pin(async move { register_in_tx(tx, &owned, registration, code, hash).await })
        })
        .await;
    outcome.map_err(|error| error.or_username_taken(&repo::USERNAME_CONSTRAINTS))
}

async fn register_in_tx(
    tx: &mut Tx,
    app: &App,
    registration: Registration,
    code: Code,
    password_hash: String,
) -> Result<LoggedIn, AuthError> {
    let now = app.clock.now();
    let key = license::take_in_tx(tx, &code, LICENSE_KEY).await?;
    let username = registration.username;
    let mut user = User::newcomer(
        UserId(app.ids.next()),
        username.as_str().to_owned(),
        registration.nickname,
        Entry::Register,
        now,
    );
    user.email = registration.email;
    user.phone = registration.phone;
    user.open_store(key.code.clone(), key.activate)?;
    let credentials = repo::Credentials {
        username_key: username.key().to_owned(),
        password_hash: Some(password_hash),
        external_id: None,
        host: None,
    };
    repo::insert_in_tx(tx, &user, &credentials).await?;
    license::spend_in_tx(tx, &key, user.id, now).await?;
    events::user_registered_in_tx(tx, &user).await?;
    let owner = Owner::User(user.id);
    let opening = Opening::new(owner, registration.client, Origin::Registration);
    let session = session::open_in_tx(tx, app, &opening).await?;
    let device = device::remember_in_tx(tx, owner, None, now).await?;
    info!(user = %user.id, state = user.state.as_str(), "user registered");
    Ok(LoggedIn {
        user,
        session,
        device: Some(device),
    })
}

/// Opens the ad account of a host user, or of a user not yet activated, with an unused code. The user's
/// sessions end; a new one takes their place. Wrong codes are limited.
pub async fn open_store(
    app: &App,
    user: UserId,
    token: TokenDigest,
    code: &SecretString,
    client: Client,
) -> Result<LoggedIn, AuthError> {
    if code.expose_secret().trim().is_empty() {
        return Err(Refusal::invalid(CODE).into());
    }
    let code = Code::parse(code.expose_secret());
    let address = client.address.as_deref().unwrap_or_default();
    let guesses = guess::Scopes::of_opening(&app.guesses, user, address);
    let owned = app.clone();
    let opening = async move {
        let pair = (user, token);
        let in_tx = owned.clone();
        owned
            .write(move |tx| {
                Box::pin(async move { open_store_in_tx(tx, &in_tx, pair, code, client).await })
            })
            .await
    };
    guess::evaluate(app, guesses, opening).await
}

async fn open_store_in_tx(
    tx: &mut Tx,
    app: &App,
    (id, token): (UserId, TokenDigest),
    code: Option<Code>,
    client: Client,
) -> Result<LoggedIn, AuthError> {
    let now = app.clock.now();
    let mut user = repo::lock_in_tx(tx, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    // An account that is open or closed is refused before anything is said about the code.
    user.require_store_unopened()?;
    let code = code.ok_or(AuthError::LicenseUnknown(CODE))?;
    let key = license::take_in_tx(tx, &code, CODE).await?;
    user.open_store(key.code.clone(), key.activate)?;
    repo::save_state_in_tx(tx, &user).await?;
    license::spend_in_tx(tx, &key, user.id, now).await?;
    if user.state == UserState::Active {
        let reason = "authorisation code".to_owned();
        record_in_tx(
            tx,
            app,
            &user,
            StateChanged {
                from: UserState::NotActivated,
                reason,
                staff: None,
            },
        )
        .await?;
    }
    let owner = Owner::User(id);
    // A token of this user, or the gateway would not have named the user. One that is not known counts as the worst.
    let before = session::find_in_tx(tx, token).await?;
    let origin = before.filter(|session| session.owner == owner);
    let origin = origin.map_or(Origin::StaffToken, |session| session.origin.after_opening());
    session::end_all_in_tx(tx, owner, now).await?;
    let opening = Opening::new(owner, client, origin);
    let session = session::open_in_tx(tx, app, &opening).await?;
    info!(user = %id, state = user.state.as_str(), "store opened");
    Ok(LoggedIn {
        user,
        session,
        device: None,
    })
}
