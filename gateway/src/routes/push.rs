//! Push messages to the user's browsers.

use adfolio_proto::notification::v1 as notification;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::call::{Call, send};
use crate::dto::Empty;
use crate::dto::push::{PushEndpoint, PushKey, PushSubscription};
use crate::dto::secret;
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/push/key",
            "getPushKey",
            "The key that a browser subscribes to push messages with.",
            key,
        ),
        Route::post(
            "/push/subscribe",
            "subscribeToPush",
            "Sends push messages to this browser from now on, in the caller's language, until the session is ended. Repeating \
             it renews that; a browser that is not renewed for 90 days is forgotten. A user has at most 10.",
            subscribe,
        )
        .user()
        .says(Success::Update),
        Route::post(
            "/push/unsubscribe",
            "unsubscribeFromPush",
            "Sends no more push messages to a browser of the caller's. Repeating it is fine.",
            unsubscribe,
        )
        .user()
        .says(Success::Update),
    ]
}

async fn key(call: Call, _: Nothing) -> Result<PushKey, Failure> {
    let message = notification::GetPushKeyRequest {};
    let response = send!(call.reading(), notification.get_push_key, message).await?;
    let key = response.public_key;
    Ok(PushKey {
        public_key: (!key.is_empty()).then(|| URL_SAFE_NO_PAD.encode(&key)),
    })
}

/// Asks auth about the session: one that was ended a moment ago must subscribe nothing.
async fn subscribe(
    call: Call,
    Json(subscription): Json<PushSubscription>,
) -> Result<Empty, Failure> {
    let sessions = call.gateway.sessions();
    let session = sessions.user_now(call.token()?, &call.caller).await?;
    let message = subscription.into_message(session.id)?;
    send!(call.writing(), notification.subscribe_push, message).await?;
    Ok(Empty {})
}

async fn unsubscribe(call: Call, Json(browser): Json<PushEndpoint>) -> Result<Empty, Failure> {
    let message = notification::UnsubscribePushRequest {
        endpoint: secret::to_message(&browser.endpoint),
    };
    send!(call.writing(), notification.unsubscribe_push, message).await?;
    Ok(Empty {})
}
