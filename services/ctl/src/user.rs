//! `adfolioctl user`.

use adfolio_proto::auth::v1::{
    CreateHostTokenRequest, EndUserSessionsRequest, Entry, GetUserDetailRequest, ListUsersRequest,
    SetUserProfileRequest, SetUserStateRequest, UnlockUserLoginRequest, User, UserState,
};
use adfolio_proto::wallet::v1::{GetUserPropertyRequest, Property};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::{Format, Row};
use crate::services::{Change, Listing, ReasonedChange, Services, ask, list, operator};

/// Users
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Lists users
    List(List),
    /// Shows a user with wallet and number of sessions
    Show(Show),
    /// Changes the state of an account
    State(State),
    /// Changes a user's standing
    Profile(Profile),
    /// Issues a token for a user of a native host shell whose account is not open yet
    HostToken(HostToken),
    /// Clears the failed logins of an account and its lock
    Unlock(Unlock),
    /// Ends all sessions of a user and forgets the user's devices
    SessionsEnd(SessionsEnd),
}

impl UserCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
            Self::Show(show) => show.run(services).await,
            Self::State(state) => state.run(services).await,
            Self::Profile(profile) => profile.run(services).await,
            Self::HostToken(token) => token.run(services).await,
            Self::Unlock(unlock) => unlock.run(services).await,
            Self::SessionsEnd(end) => end.run(services).await,
        }
    }
}

/// Lists users
#[derive(Args, Debug)]
pub struct List {
    /// Part of a user name or e-mail address, or an id
    #[arg(long, default_value = "")]
    query: String,
    /// Only users in this state: active, not_activated, disabled or cancelled
    #[arg(long, value_parser = names::parse::<UserState>)]
    state: Option<UserState>,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let (query, state) = (&self.query, names::filter(self.state));
        let message = ListUsersRequest {
            query: query.clone(),
            state,
            page: None,
        };
        let users = list!(
            services.auth_admin,
            list_users,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&users, row);
        Ok(())
    }
}

/// Shows a user with wallet and number of sessions
#[derive(Args, Debug)]
pub struct Show {
    /// The user's id
    user_id: String,
    #[command(flatten)]
    format: Format,
}

impl Show {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let user_id = self.user_id;
        let message = GetUserDetailRequest {
            user_id: user_id.clone(),
        };
        let detail = ask!(services.auth_admin, get_user_detail, operator(), message)?;
        let property = property(services, user_id).await?;
        let user = detail.user.context("the answer has no user")?;
        let mut shown = row(&user);
        shown.extend([
            ("sessions", json!(detail.sessions.len())),
            ("available", money(property.available_minor)),
            ("to_be_consumed", money(property.to_be_consumed_minor)),
            ("to_be_settled", money(property.to_be_settled_minor)),
            ("withdrawing", money(property.withdrawing_minor)),
            ("guarantee", money(property.guarantee_minor)),
            ("discount", money(property.discount_minor)),
            (
                "start_up_funds_outstanding",
                money(property.start_up_funds_outstanding_minor),
            ),
            (
                "withdrawal_available_at",
                time(property.withdrawal_available_at),
            ),
        ]);
        self.format.one(shown);
        Ok(())
    }
}

/// What a user's wallet holds; nothing before it has moved.
pub async fn property(services: &Services, user_id: String) -> anyhow::Result<Property> {
    let message = GetUserPropertyRequest { user_id };
    let answer = ask!(
        services.wallet_admin,
        get_user_property,
        operator(),
        message
    )?;
    Ok(answer.property.unwrap_or_default())
}

/// Changes the state of an account
#[derive(Args, Debug)]
pub struct State {
    /// The user's id
    user_id: String,
    /// The new state: active, not_activated, disabled or cancelled
    #[arg(value_parser = names::parse::<UserState>, value_name = "STATE")]
    to: UserState,
    #[command(flatten)]
    change: Change,
}

impl State {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = SetUserStateRequest {
            user_id: self.user_id,
            state: self.to.into(),
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, set_user_state, caller, message)?;
        let user = answer.user.context("the answer has no user")?;
        self.change.format.one(row(&user));
        Ok(())
    }
}

/// Changes a user's standing
#[derive(Args, Debug)]
pub struct Profile {
    /// The user's id
    user_id: String,
    /// Credit score, 0 to 1000
    #[arg(long)]
    credit_score: Option<i32>,
    /// Shop level, 1 to 100
    #[arg(long)]
    shop_level: Option<i32>,
    /// Whether the user is a member
    #[arg(long)]
    vip: Option<bool>,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Profile {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = SetUserProfileRequest {
            user_id: self.user_id,
            credit_score: self.credit_score,
            shop_level: self.shop_level,
            vip: self.vip,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, set_user_profile, caller, message)?;
        let user = answer.user.context("the answer has no user")?;
        self.change.format.one(row(&user));
        Ok(())
    }
}

/// Issues a token for a user of a native host shell
#[derive(Args, Debug)]
pub struct HostToken {
    /// The host's id of its user
    external_user_id: SecretString,
    /// Language to start with
    #[arg(long, default_value = "")]
    lang: String,
    /// Id of the registered host whose user it is
    #[arg(long, default_value = "")]
    host_id: String,
    #[command(flatten)]
    change: Change,
}

impl HostToken {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateHostTokenRequest {
            external_user_id: self.external_user_id.expose_secret().to_owned(),
            lang: self.lang,
            host_id: self.host_id,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, create_host_token, caller, message)?;
        self.change.format.one(vec![("token", json!(answer.token))]);
        Ok(())
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
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = UnlockUserLoginRequest {
            username: self.username,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, unlock_user_login, caller, message)?;
        let cleared = vec![("cleared", json!(answer.cleared))];
        self.change.format.one(cleared);
        Ok(())
    }
}

/// Ends all sessions of a user and forgets the user's devices
#[derive(Args, Debug)]
pub struct SessionsEnd {
    /// The user's id
    user_id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl SessionsEnd {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = EndUserSessionsRequest {
            user_id: self.user_id,
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.auth_admin, end_user_sessions, caller, message)?;
        self.change.format.one(vec![("ended", json!(answer.ended))]);
        Ok(())
    }
}

fn row(user: &User) -> Row {
    vec![
        ("id", json!(user.id)),
        ("username", json!(user.username)),
        ("nickname", json!(user.nickname)),
        ("state", name::<UserState>(user.state)),
        ("entry", name::<Entry>(user.entry)),
        ("email", text(&user.email)),
        ("email_confirmed", json!(user.email_confirmed)),
        ("phone", text(&user.phone)),
        ("lang", text(&user.lang)),
        ("credit_score", json!(user.credit_score)),
        ("shop_level", json!(user.shop_level)),
        ("vip", json!(user.vip)),
        ("license_key", text(&user.license_key_masked)),
        ("created_at", time(user.created_at)),
    ]
}
