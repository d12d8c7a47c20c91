//! Withdrawals, their destinations, and the transaction password.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::password::{CheckPayPasswordRequest, SetPayPasswordRequest};
use crate::dto::secret::{to_message, to_message_or_empty};
use crate::dto::withdrawal::{
    BindRequest, Destination, Destinations, WithdrawRequest, Withdrawal, WithdrawalListQuery,
};
use crate::dto::{ById, Decode, Empty, Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing, Query};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [money_routes(), security_routes()].concat()
}

fn money_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/user/withdraw",
            "withdraw",
            "Requests a withdrawal. Its amount is held until the decision.",
            withdraw,
        )
        .user()
        .fails(&[
            Reason::InsufficientBalance,
            Reason::AmountOutOfRange,
            Reason::PayPasswordNotSet,
            Reason::PayPasswordLocked,
            Reason::WrongPayPassword,
            Reason::StartUpFundsNotReturned,
            Reason::BankCardNotBound,
            Reason::WithdrawalCoolingOff,
            Reason::DayLimitReached,
            Reason::WalletFrozen,
        ])
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/user/withdraw/cancel",
            "cancelWithdrawal",
            "Cancels one of the caller's withdrawals that waits for a decision: its money is available again.",
            cancel,
        )
        .user()
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::get(
            "/user/withdraw/list",
            "listWithdrawals",
            "The caller's withdrawals, newest first.",
            list,
        )
        .user(),
    ]
}

fn security_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/check/password",
            "checkPayPassword",
            "Checks a transaction password.",
            check_password,
        )
        .user()
        .fails(&[
            Reason::PayPasswordNotSet,
            Reason::PayPasswordLocked,
            Reason::WrongPayPassword,
        ]),
        Route::post(
            "/set/password",
            "setPayPassword",
            "Sets the transaction password, or changes it with the current one.",
            set_password,
        )
        .user()
        .fails(&[
            Reason::PasswordMismatch,
            Reason::WeakPayPassword,
            Reason::PayPasswordNotSet,
            Reason::PayPasswordLocked,
            Reason::WrongPayPassword,
            Reason::PasswordUnchanged,
            Reason::StepUpRequired,
        ])
        .says(Success::Setting),
        Route::post(
            "/bank_card/edit",
            "bindDestination",
            "Binds a bank card or a wallet address, or replaces it.",
            bind,
        )
        .user()
        .fails(&[
            Reason::PayPasswordLocked,
            Reason::WrongPayPassword,
            Reason::NothingChanged,
        ])
        .says(Success::Binding),
        Route::get(
            "/bank_card/detail",
            "getDestinations",
            "The bound bank card and wallet address.",
            destinations,
        )
        .user(),
    ]
}

async fn cancel(call: Call, Json(request): Json<ById>) -> Result<Withdrawal, Failure> {
    let message = wallet::CancelWithdrawalRequest {
        withdrawal_id: request.id,
    };
    let response = send!(call.writing(), wallet.cancel_withdrawal, message).await?;
    Withdrawal::decode(response.withdrawal, "withdrawal")
}

async fn withdraw(call: Call, Json(request): Json<WithdrawRequest>) -> Result<Withdrawal, Failure> {
    let message = wallet::WithdrawRequest {
        amount_minor: request.amount.minor(),
        method: request.method.into(),
        password: to_message(&request.password),
    };
    let response = send!(call.writing(), wallet.withdraw, message).await?;
    Withdrawal::decode(response.withdrawal, "withdrawal")
}

async fn list(
    call: Call,
    Query(query): Query<WithdrawalListQuery>,
) -> Result<Page<Withdrawal>, Failure> {
    let message = wallet::ListWithdrawalsRequest {
        page: page(query.cursor, query.limit),
        id: query.id.unwrap_or_default(),
    };
    let response = send!(call.reading(), wallet.list_withdrawals, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn check_password(
    call: Call,
    Json(request): Json<CheckPayPasswordRequest>,
) -> Result<Empty, Failure> {
    let message = wallet::CheckPayPasswordRequest {
        password: to_message(&request.password),
    };
    // A check counts as an attempt, so the call is never repeated.
    send!(call.writing(), wallet.check_pay_password, message).await?;
    Ok(Empty {})
}

async fn set_password(
    call: Call,
    Json(request): Json<SetPayPasswordRequest>,
) -> Result<Empty, Failure> {
    let message = wallet::SetPayPasswordRequest {
        password: to_message(&request.password),
        confirm_password: to_message(&request.confirm_password),
        old_password: to_message_or_empty(request.old_password.as_ref()),
    };
    let call = if message.old_password.is_empty() {
        call.refreshed().await?
    } else {
        call
    };
    send!(call.writing(), wallet.set_pay_password, message).await?;
    Ok(Empty {})
}

async fn bind(call: Call, Json(request): Json<BindRequest>) -> Result<Destination, Failure> {
    let message = request.into_proto()?;
    let response = send!(call.writing(), wallet.bind_destination, message).await?;
    present(
        Destination::from_proto(response.destination)?,
        "destination",
    )
}

async fn destinations(call: Call, _: Nothing) -> Result<Destinations, Failure> {
    let response = send!(
        call.reading(),
        wallet.get_destinations,
        wallet::GetDestinationsRequest {}
    )
    .await?;
    Destinations::from_proto(response)
}
