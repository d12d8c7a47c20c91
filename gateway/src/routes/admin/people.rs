//! Names and profiles of users, for staff.

use std::collections::HashMap;

use adfolio_proto::auth::v1::{LookUpUsersRequest, User};
use adfolio_proto::plan::v1::GetCurrentOperatorsRequest;
use adfolio_proto::wallet::v1::GetUserSettingsRequest;

use crate::call::{Call, send};
use crate::dto::Money;
use crate::dto::account::{Settings, UserInfo};
use crate::dto::staff::UserName;
use crate::errors::Failure;
use crate::routes::profile::spare;

/// Login names by user.
pub struct Names(HashMap<String, String>);

impl Names {
    /// Looks up names. A list is useful without them.
    pub async fn of<'a>(call: &Call, user_ids: impl Iterator<Item = &'a String>) -> Self {
        let mut user_ids: Vec<String> = user_ids.cloned().collect();
        user_ids.sort_unstable();
        user_ids.dedup();
        if user_ids.is_empty() {
            return Self(HashMap::new());
        }
        let message = LookUpUsersRequest {
            user_ids,
            ..LookUpUsersRequest::default()
        };
        let found = async { send!(call.reading(), directory.look_up_users, message).await };
        let users = spare("names of users", found)
            .await
            .map(|response| response.users)
            .unwrap_or_default();
        Self(
            users
                .into_iter()
                .map(|user| (user.user_id, user.username))
                .collect(),
        )
    }

    /// A user with their name, if it was found.
    pub fn user(&self, id: String) -> UserName {
        UserName {
            username: self.0.get(&id).cloned(),
            id,
        }
    }
}

/// What other services know about users. wallet's part is required, because a wrong false would mislead staff. plan's
/// part is optional.
pub struct AllSettings(HashMap<String, Settings>);

impl AllSettings {
    /// Fetches the settings of a page of users.
    pub async fn of(call: &Call, user_ids: Vec<String>) -> Result<Self, Failure> {
        if user_ids.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let ids = user_ids.clone();
        let wallets = async {
            send!(
                call.reading(),
                wallet_admin.get_user_settings,
                GetUserSettingsRequest { user_ids: ids }
            )
            .await
        };
        let operators = async {
            send!(
                call.reading(),
                plan_admin.get_current_operators,
                GetCurrentOperatorsRequest { user_ids }
            )
            .await
        };
        let (wallets, operators) = futures::join!(wallets, spare("operators followed", operators));
        let mut all: HashMap<String, Settings> = HashMap::new();
        for wallet in wallets?.items {
            let settings = all.entry(wallet.user_id).or_default();
            settings.has_pay_password = wallet.has_pay_password;
            settings.has_bank_card = wallet.has_bank_card;
            settings.guarantee = Some(Money::from_minor(wallet.guarantee_minor));
        }
        for operator in operators.map(|found| found.items).unwrap_or_default() {
            all.entry(operator.user_id).or_default().operator_id = Some(operator.operator_id);
        }
        Ok(Self(all))
    }

    /// The settings of a user. One without a wallet has no guarantee.
    pub fn take(&mut self, user_id: &str) -> Settings {
        let mut settings = self.0.remove(user_id).unwrap_or_default();
        settings.guarantee.get_or_insert(Money::from_minor(0));
        settings
    }
}

/// A user with auth's answer, without unavailable parts.
pub async fn around(call: &Call, user: User) -> Result<UserInfo, Failure> {
    let (settings, entries) = futures::join!(
        spare("settings", AllSettings::of(call, vec![user.id.clone()])),
        call.gateway.service_entries().get(call.lang)
    );
    let settings = settings.map(|mut all| all.take(&user.id));
    UserInfo::from_proto(user, settings.unwrap_or_default(), &entries)
}
