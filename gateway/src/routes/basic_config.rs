//! What a client needs before login.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1::GetLegalTextRequest;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::basic_config::BasicConfig;
use crate::call::{Call, send};
use crate::dto::content::{Legal, LegalQuery};
use crate::errors::Failure;
use crate::input::Query;
use crate::lang::Lang;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/basic_config",
            "getBasicConfig",
            "The configuration that a client needs before login.",
            basic_config,
        )
        .tagged(),
        Route::get(
            "/legal",
            "getLegalText",
            "A text that the law or the business asks for, if staff have written it.",
            legal,
        )
        .fails(&[Reason::NotFound])
        .tagged(),
    ]
}

/// Selects the language.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BasicConfigQuery {
    /// One of the twelve codes. Any other value is ignored, and the language follows from headers.
    #[schema(example = "en")]
    pub lang: Option<String>,
}

async fn legal(call: Call, Query(query): Query<LegalQuery>) -> Result<Legal, Failure> {
    let message = GetLegalTextRequest {
        name: query.name.into(),
    };
    let response = send!(call.reading(), notification.get_legal_text, message).await?;
    Ok(Legal {
        name: query.name,
        text: response.text,
    })
}

async fn basic_config(
    call: Call,
    Query(query): Query<BasicConfigQuery>,
) -> Result<BasicConfig, Failure> {
    let asked = query.lang.as_deref().and_then(Lang::from_code);
    let lang = asked.unwrap_or(call.lang);
    Box::pin(call.gateway.basic_config().get(lang)).await
}
