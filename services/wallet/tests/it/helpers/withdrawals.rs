//! Transaction passwords, destinations and withdrawals of users.

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::wallet::v1 as proto;
use uuid::Uuid;

use super::{Wallet, call, newcomer, refused};

/// A transaction password that is not weak.
pub const PIN: &str = "246810";

impl Wallet {
    /// Sets or changes a transaction password, by the digits, in the session that registered the account.
    pub async fn set_password(&self, user: Uuid, new: &str, old: &str) -> Result<(), Refusal> {
        self.set_password_as(&newcomer(user), new, old).await
    }

    pub async fn set_password_as(
        &self,
        caller: &Caller,
        new: &str,
        old: &str,
    ) -> Result<(), Refusal> {
        let digest = |digits: &str| {
            if digits.is_empty() {
                String::new()
            } else {
                md5(digits)
            }
        };
        let message = proto::SetPayPasswordRequest {
            password: md5(new),
            confirm_password: md5(new),
            old_password: digest(old),
        };
        let answer = self.users().set_pay_password(call(caller, message)).await;
        answer.map(|_| ()).map_err(refused)
    }

    /// Checks a transaction password, by the digits.
    pub async fn check_password(&self, user: Uuid, digits: &str) -> Result<(), Refusal> {
        let message = proto::CheckPayPasswordRequest {
            password: md5(digits),
        };
        let request = call(&Caller::user(UserId(user)), message);
        let answer = self.users().check_pay_password(request).await;
        answer.map(|_| ()).map_err(refused)
    }

    /// Binds a destination in the session that registered the account; the password by its digits, empty for none.
    pub async fn bind(
        &self,
        user: Uuid,
        kind: proto::destination::Kind,
        digits: &str,
    ) -> Result<proto::Destination, Refusal> {
        self.bind_as(&newcomer(user), kind, digits).await
    }

    pub async fn bind_as(
        &self,
        caller: &Caller,
        kind: proto::destination::Kind,
        digits: &str,
    ) -> Result<proto::Destination, Refusal> {
        let message = proto::BindDestinationRequest {
            destination: Some(proto::Destination { kind: Some(kind) }),
            password: if digits.is_empty() {
                String::new()
            } else {
                md5(digits)
            },
        };
        let answer = self.users().bind_destination(call(caller, message)).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .destination
            .expect("a destination"))
    }

    /// A user who may withdraw: with money, a card, and 246810 as transaction password.
    pub async fn withdrawing_user(&self, minor: i64) -> Uuid {
        let user = self.user_with(minor).await;
        self.bind(user, card("6222021234567890"), "")
            .await
            .expect("a card");
        self.set_password(user, PIN, "").await.expect("a password");
        user
    }

    /// Asks for a withdrawal to the bank card.
    pub async fn withdraw(
        &self,
        caller: &Caller,
        minor: i64,
        digits: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        self.withdraw_by(caller, minor, proto::WithdrawalMethod::BankCard, digits)
            .await
    }

    /// Cancels a withdrawal.
    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::CancelWithdrawalRequest {
            withdrawal_id: id.to_owned(),
        };
        let answer = self.users().cancel_withdrawal(call(caller, message)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.withdrawal.expect("a withdrawal"))
    }

    /// Returns start-up funds.
    pub async fn return_start_up_funds(
        &self,
        caller: &Caller,
        minor: i64,
    ) -> Result<proto::Property, Refusal> {
        let message = proto::ReturnStartUpFundsRequest {
            amount_minor: minor,
        };
        let mut users = self.users();
        let answer = users.return_start_up_funds(call(caller, message)).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .property
            .expect("figures"))
    }

    /// Asks for a withdrawal.
    pub async fn withdraw_by(
        &self,
        caller: &Caller,
        minor: i64,
        method: proto::WithdrawalMethod,
        digits: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::WithdrawRequest {
            amount_minor: minor,
            method: method.into(),
            password: md5(digits),
        };
        let answer = self.users().withdraw(call(caller, message)).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .withdrawal
            .expect("a withdrawal"))
    }
}

/// The MD5 of a transaction password, as the browser sends it.
pub fn md5(digits: &str) -> String {
    use md5::Digest as _;
    hex::encode(md5::Md5::digest(digits))
}

/// A bank card with this account.
pub fn card(account: &str) -> proto::destination::Kind {
    proto::destination::Kind::BankCard(proto::BankCard {
        card_name: "First Bank".into(),
        user_name: "Ada Lovelace".into(),
        mobile: "+4915112345678".into(),
        bank_account: account.into(),
        branch_name: "Main Street".into(),
    })
}

/// A wallet address.
pub fn address(text: &str) -> proto::destination::Kind {
    proto::destination::Kind::WalletAddress(proto::WalletAddress {
        network: "TRC20".into(),
        address: text.into(),
    })
}
