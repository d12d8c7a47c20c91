//! The advertiser's wallet: a deposit, a transaction password, a bank card and a pending withdrawal.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1::destination::Kind;
use adfolio_proto::wallet::v1::{
    AdminListWithdrawalsRequest, BankCard, BindDestinationRequest, DepositRequest, Destination,
    GetPropertyRequest, Property, SetPayPasswordRequest, WithdrawRequest, WithdrawalMethod,
};
use uuid::Uuid;

use super::{catalog, reason, second};
use crate::output::say;
use crate::services::{Services, ask, keyed, on_behalf_of, operator};
use crate::user::property;

/// Credits the first deposit, unless the wallet has money.
pub async fn deposit(services: &Services, user: Uuid) -> anyhow::Result<()> {
    if !is_empty(&property(services, user.to_string()).await?) {
        return Ok(());
    }
    let message = DepositRequest {
        user_id: user.to_string(),
        amount_minor: catalog::DEPOSIT_MINOR,
        remark: "Opening deposit".to_owned(),
    };
    let caller = keyed(operator(), &format!("demo-deposit-{user}"))?;
    let answer = ask!(services.wallet_admin, deposit, caller, message);
    if reason(&answer) == Some(Reason::ApprovalRequired) {
        second::approve_deposit(services, user).await?;
    } else {
        answer?;
    }
    say("credited the opening deposit");
    Ok(())
}

fn is_empty(property: &Property) -> bool {
    [
        property.available_minor,
        property.to_be_consumed_minor,
        property.to_be_settled_minor,
        property.withdrawing_minor,
        property.guarantee_minor,
        property.discount_minor,
        property.start_up_funds_outstanding_minor,
    ]
    .into_iter()
    .all(|balance| balance == 0)
}

/// Sets the transaction password, binds a bank card and requests a withdrawal, each unless it exists.
pub async fn withdrawal(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let message = GetPropertyRequest {};
    let answer = ask!(services.wallet, get_property, on_behalf_of(user), message)?;
    let property = answer.property.unwrap_or_default();
    if !property.has_pay_password {
        let message = SetPayPasswordRequest {
            password: catalog::PAY_PASSWORD_MD5.to_owned(),
            confirm_password: catalog::PAY_PASSWORD_MD5.to_owned(),
            old_password: String::new(),
        };
        let caller = keyed(on_behalf_of(user), "demo-pay-password")?;
        ask!(services.wallet, set_pay_password, caller, message)?;
        say("set the transaction password");
    }
    if !property.has_bank_card {
        bind(services, user).await?;
    }
    let message = AdminListWithdrawalsRequest {
        user_id: user.to_string(),
        ..AdminListWithdrawalsRequest::default()
    };
    let known = ask!(
        services.wallet_admin,
        admin_list_withdrawals,
        operator(),
        message
    )?;
    if !known.items.is_empty() {
        return Ok(());
    }
    let message = WithdrawRequest {
        amount_minor: catalog::WITHDRAWAL_MINOR,
        method: WithdrawalMethod::BankCard.into(),
        password: catalog::PAY_PASSWORD_MD5.to_owned(),
    };
    let caller = keyed(on_behalf_of(user), "demo-withdrawal")?;
    ask!(services.wallet, withdraw, caller, message)?;
    say("asked for a withdrawal");
    Ok(())
}

async fn bind(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let card = BankCard {
        card_name: "Harbour Savings Bank".to_owned(),
        user_name: "Demo Advertiser".to_owned(),
        mobile: "+15550100199".to_owned(),
        bank_account: "0000246810000199".to_owned(),
        branch_name: "Quay Street".to_owned(),
    };
    let message = BindDestinationRequest {
        destination: Some(Destination {
            kind: Some(Kind::BankCard(card)),
        }),
        password: catalog::PAY_PASSWORD_MD5.to_owned(),
    };
    let caller = keyed(on_behalf_of(user), "demo-bank-card")?;
    ask!(services.wallet, bind_destination, caller, message)?;
    say("bound a bank card");
    Ok(())
}
