//! Feedback.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;

use crate::call::{Call, send};
use crate::dto::feedback::{Created, FeedbackRequest};
use crate::errors::Failure;
use crate::input::Json;
use crate::messages::Success;
use crate::route::Route;

/// Maximum number of images per feedback. notification refuses more too, but each image costs a look-up in the store
/// here.
const MAX_IMAGES: usize = 9;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/feedback", "submitFeedback", "Submits feedback.", submit)
            .user()
            .fails(&[Reason::NotFound])
            .says(Success::Posting)
            .keyed(),
    ]
}

async fn submit(call: Call, Json(request): Json<FeedbackRequest>) -> Result<Created, Failure> {
    let images = request.images.unwrap_or_default();
    if images.len() > MAX_IMAGES {
        return Err(Failure::invalid("images"));
    }
    let user_id = call.user()?;
    for (index, file_id) in images.iter().enumerate() {
        let field = format!("images[{index}]");
        let uploads = call.gateway.uploads();
        uploads.require_owned(user_id, file_id, &field).await?;
    }
    let message = notification::SubmitFeedbackRequest {
        topic: request.topic,
        content: request.content,
        image_file_ids: images,
    };
    Ok(Created {
        id: send!(call.writing(), notification.submit_feedback, message)
            .await?
            .id,
    })
}
