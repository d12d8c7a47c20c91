//! Checkpoints of the hash chains, for everybody: what was published, and proofs from it.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1 as wallet;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use crate::call::{Call, send};
use crate::dto::checkpoint::{
    Checkpoint, Consistency, ConsistencyQuery, HeadProof, HeadProofQuery,
};
use crate::dto::{Page, PageQuery};
use crate::errors::Failure;
use crate::input::{Nothing, Query};
use crate::route::Route;

const PLAIN: &str = "text/plain";

/// A new checkpoint comes every few minutes.
const BRIEFLY: HeaderValue = HeaderValue::from_static("public, max-age=30");

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get_whole(
            "/checkpoint",
            "getCheckpoint",
            "The newest checkpoint of the hash chains: a signed note (C2SP checkpoint).",
            PLAIN,
            newest,
        )
        .fails(&[Reason::NotFound]),
        Route::get_whole(
            "/checkpoint/key",
            "getCheckpointKey",
            "The key that checkpoints are signed with: NAME+KEY ID+BASE64.",
            PLAIN,
            key,
        )
        .fails(&[Reason::NotFound]),
        Route::get(
            "/checkpoint/list",
            "listCheckpoints",
            "Checkpoints, newest first.",
            list,
        ),
        Route::get(
            "/checkpoint/consistency",
            "getCheckpointConsistency",
            "Proves that the log of one size begins with all of the log of an earlier size.",
            consistency,
        ),
        Route::get(
            "/transaction_flow/proof",
            "getHeadProof",
            "Proves that a checkpoint has the hash chain of the caller at a transaction or shortly after it.",
            proof,
        )
        .user()
        .fails(&[Reason::NotFound]),
    ]
}

async fn newest(call: Call, _: Nothing) -> Result<Response, Failure> {
    let published = published(&call).await?;
    plain("checkpoint", published.note)
}

async fn key(call: Call, _: Nothing) -> Result<Response, Failure> {
    let published = published(&call).await?;
    plain("key", published.verifier_key)
}

async fn published(call: &Call) -> Result<wallet::GetCheckpointResponse, Failure> {
    let message = wallet::GetCheckpointRequest {};
    Ok(send!(call.reading(), wallet.get_checkpoint, message).await?)
}

/// What there is of it; NOT_FOUND where nothing is published.
fn plain(field: &'static str, text: String) -> Result<Response, Failure> {
    if text.is_empty() {
        return Err(Refusal::new(Reason::NotFound).field(field).into());
    }
    let text_type = HeaderValue::from_static("text/plain; charset=utf-8");
    let headers = [
        (header::CONTENT_TYPE, text_type),
        (header::CACHE_CONTROL, BRIEFLY),
    ];
    Ok((headers, text).into_response())
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Checkpoint>, Failure> {
    let message = wallet::ListCheckpointsRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), wallet.list_checkpoints, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn consistency(
    call: Call,
    Query(query): Query<ConsistencyQuery>,
) -> Result<Consistency, Failure> {
    let message = wallet::GetCheckpointConsistencyRequest {
        first: query.first,
        second: query.second,
    };
    let response = send!(call.reading(), wallet.get_checkpoint_consistency, message).await?;
    Ok(Consistency::from_proto(&response.path))
}

async fn proof(call: Call, Query(query): Query<HeadProofQuery>) -> Result<HeadProof, Failure> {
    let message = wallet::GetHeadProofRequest {
        sequence: query.sequence,
    };
    let response = send!(call.reading(), wallet.get_head_proof, message).await?;
    HeadProof::from_proto(response)
}
