//! What a client needs before login.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::basic_config::BasicConfig;
use crate::call::Call;
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
    ]
}

/// Selects the language.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BasicConfigQuery {
    /// One of the twelve codes. Any other value is ignored, and the language follows from headers.
    #[schema(example = "en")]
    pub lang: Option<String>,
}

async fn basic_config(
    call: Call,
    Query(query): Query<BasicConfigQuery>,
) -> Result<BasicConfig, Failure> {
    let asked = query.lang.as_deref().and_then(Lang::from_code);
    let lang = asked.unwrap_or(call.lang);
    Box::pin(call.gateway.basic_config().get(lang)).await
}
