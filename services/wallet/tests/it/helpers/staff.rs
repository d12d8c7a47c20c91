//! What staff do with wallets.

use adfolio_kit::client::Channel;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use uuid::Uuid;

use super::{Wallet, call, finance, refused};

/// A posting of staff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StaffPosting {
    Deposit,
    Chargeback,
    Deduction,
    Membership,
    Grant,
    Return,
    GuaranteeDeposit,
    GuaranteeReturn,
}

impl Wallet {
    pub async fn deposit(&self, user: Uuid, minor: i64) -> proto::FlowEntry {
        self.deposit_as(&finance(), user, minor, "")
            .await
            .expect("a deposit")
    }

    pub async fn deposit_as(
        &self,
        caller: &Caller,
        user: Uuid,
        minor: i64,
        remark: &str,
    ) -> Result<proto::FlowEntry, Refusal> {
        let message = proto::DepositRequest {
            user_id: user.to_string(),
            amount_minor: minor,
            remark: remark.to_owned(),
        };
        let answer = self
            .staff()
            .deposit(call(caller, message))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().entry.expect("an entry"))
    }

    /// Staff change a wallet by any kind of posting. Of the guarantee the line stands for the figures that are answered: the
    /// guarantee as its amount, and the available balance.
    pub async fn post_as(
        &self,
        caller: &Caller,
        posting: StaffPosting,
        user: Uuid,
        minor: i64,
    ) -> Result<proto::FlowEntry, Refusal> {
        post_at(self.staff(), caller, posting, user, minor).await
    }

    /// Decides a withdrawal.
    pub async fn decide(
        &self,
        caller: &Caller,
        id: &str,
        decision: proto::WithdrawalDecision,
        reason: &str,
    ) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::DecideWithdrawalRequest {
            withdrawal_id: id.to_owned(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        let answer = self.staff().decide_withdrawal(call(caller, message)).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .withdrawal
            .expect("a withdrawal"))
    }
}

/// A posting of staff at one replica.
pub async fn post_at(
    mut admin: WalletAdminServiceClient<Channel>,
    caller: &Caller,
    posting: StaffPosting,
    user: Uuid,
    minor: i64,
) -> Result<proto::FlowEntry, Refusal> {
    let user_id = user.to_string();
    let remark = String::new();
    let entry = match posting {
        StaffPosting::Deposit => {
            let message = proto::DepositRequest {
                user_id,
                amount_minor: minor,
                remark,
            };
            let answer = admin.deposit(call(caller, message)).await;
            answer.map_err(refused)?.into_inner().entry
        }
        StaffPosting::Chargeback => {
            let message = proto::ChargebackRequest {
                user_id,
                amount_minor: minor,
                remark,
            };
            let answer = admin.chargeback(call(caller, message)).await;
            answer.map_err(refused)?.into_inner().entry
        }
        StaffPosting::Deduction => {
            let message = proto::DeductRechargeRequest {
                user_id,
                amount_minor: minor,
                remark,
            };
            let answer = admin.deduct_recharge(call(caller, message)).await;
            answer.map_err(refused)?.into_inner().entry
        }
        StaffPosting::Membership => {
            let message = proto::OpenMembershipRequest {
                user_id,
                amount_minor: minor,
            };
            let answer = admin.open_membership(call(caller, message)).await;
            answer.map_err(refused)?.into_inner().entry
        }
        StaffPosting::Grant | StaffPosting::Return => {
            let action = if posting == StaffPosting::Grant {
                proto::StartUpFundsAction::Grant
            } else {
                proto::StartUpFundsAction::Return
            };
            let message = proto::ChangeStartUpFundsRequest {
                user_id,
                action: action.into(),
                amount_minor: minor,
            };
            let answer = admin.change_start_up_funds(call(caller, message)).await;
            answer.map_err(refused)?.into_inner().entry
        }
        StaffPosting::GuaranteeDeposit | StaffPosting::GuaranteeReturn => {
            let action = if posting == StaffPosting::GuaranteeDeposit {
                proto::GuaranteeAction::Deposit
            } else {
                proto::GuaranteeAction::Return
            };
            let message = proto::ChangeGuaranteeRequest {
                user_id,
                action: action.into(),
                amount_minor: minor,
                remark,
            };
            let answer = admin.change_guarantee(call(caller, message)).await;
            let property = answer.map_err(refused)?.into_inner().property;
            property.map(|figures| proto::FlowEntry {
                amount_minor: figures.guarantee_minor,
                balance_after_minor: figures.available_minor,
                ..proto::FlowEntry::default()
            })
        }
    };
    Ok(entry.expect("an entry"))
}
