//! What owners do about freezes of their wallets.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::freeze::{FreezeByMailRequest, FreezeRequest};
use crate::dto::secret::to_message;
use crate::dto::wallet::Property;
use crate::dto::{Empty, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/user/freeze",
            "freezeWallet",
            "Stops all withdrawals and exchanges of the caller's wallet, until the owner and staff agree to lift that. Repeating it \
             takes back what either has agreed to.",
            freeze,
        )
        .user()
        .says(Success::Update),
        Route::post(
            "/user/freeze/mail",
            "freezeWalletByMail",
            "The same by the link of a mail, without a session: its reader says that the news was not their doing. It takes effect \
             a moment after the answer.",
            freeze_by_mail,
        )
        .fails(&[Reason::DisownLinkInvalid])
        .says(Success::Update),
        Route::post(
            "/user/unfreeze",
            "agreeToUnfreeze",
            "The owner agrees to lift the freeze. It ends once a member of staff has agreed, too; then the cooling-off begins.",
            agree,
        )
        .user()
        .fails(&[Reason::StepUpRequired, Reason::NothingChanged])
        .says(Success::Update),
    ]
}

async fn freeze(call: Call, Json(request): Json<FreezeRequest>) -> Result<Property, Failure> {
    let message = wallet::FreezeWalletRequest {
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), wallet.freeze_wallet, message).await?;
    let property = present(response.property, "property")?;
    Property::from_proto(property, call.gateway.currency())
}

async fn freeze_by_mail(
    call: Call,
    Json(request): Json<FreezeByMailRequest>,
) -> Result<Empty, Failure> {
    let message = notification::DisownMailRequest {
        token: to_message(&request.token),
    };
    send!(call.writing(), notification.disown_mail, message).await?;
    Ok(Empty {})
}

async fn agree(call: Call, _: Nothing) -> Result<Property, Failure> {
    let message = wallet::UnfreezeWalletRequest {};
    let response = send!(call.writing(), wallet.unfreeze_wallet, message).await?;
    let property = present(response.property, "property")?;
    Property::from_proto(property, call.gateway.currency())
}
