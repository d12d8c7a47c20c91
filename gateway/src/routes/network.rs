//! What ad networks do with their key: fetch what they are allotted, and report what they delivered.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::report_network_delivery_request::Part;
use adfolio_proto::plan::v1::{self as plan, ReportNetworkDeliveryRequest};

use crate::call::{Call, send};
use crate::dto::network::{
    AllotmentLimit, AllotmentListQuery, Allotments, NetworkReportResult, NetworkReports,
};
use crate::errors::Failure;
use crate::input::Query;
use crate::lines::Lines;
use crate::messages::Success;
use crate::route::Route;
use crate::streamed::Feed;

/// Maximum size of the lines of one call, in bytes.
const LINES_LIMIT: usize = 64 * 1024 * 1024;

/// Limit of a report, upload included.
const REPORT_LIMIT: Duration = Duration::from_mins(5);

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/network/allotments",
            "listAllotments",
            "Allotments of the caller's network that have not ended, oldest first.",
            allotments,
        )
        .network()
        .tagged(),
        Route::post(
            "/network/reports",
            "reportNetworkDelivery",
            "Reports delivery as JSON lines. Repeating a report changes nothing; a higher revision restates it.",
            report,
        )
        .network()
        .fails(&[Reason::FileTooLarge])
        .says(Success::Submission)
        .body_limit(LINES_LIMIT),
    ]
}

async fn allotments(
    call: Call,
    Query(query): Query<AllotmentListQuery>,
) -> Result<Allotments, Failure> {
    let message = plan::ListAllotmentsRequest {
        network_key: call.network_key()?.to_message(),
        after: query.after.unwrap_or_default(),
        limit: query.limit.map_or(0, AllotmentLimit::get),
    };
    let response = send!(call.reading(), network.list_allotments, message).await?;
    Allotments::from_proto(response)
}

async fn report(call: Call, lines: Lines<NetworkReports>) -> Result<NetworkReportResult, Failure> {
    tokio::time::timeout(REPORT_LIMIT, pass_on(call, lines))
        .await
        .map_err(|_| Failure::malformed())?
}

/// Streams the lines to plan. If the body breaks off, the call is cancelled instead of completed.
async fn pass_on(
    call: Call,
    mut lines: Lines<NetworkReports>,
) -> Result<NetworkReportResult, Failure> {
    let caller = Caller {
        deadline: Deadline::after(REPORT_LIMIT),
        ..call.caller.clone()
    };
    let key = call.network_key()?.to_message();
    let (feed, messages) = Feed::open();
    let request = outgoing(&caller, messages, REPORT_LIMIT);
    let mut client = call.services().network.clone();
    let sent = async move {
        feed.send(message(Part::NetworkKey(key))).await;
        while let Some(piece) = lines.next_piece().await? {
            feed.send_bytes(piece, |bytes| message(Part::Chunk(bytes)))
                .await;
        }
        feed.complete().await;
        Ok(())
    };
    let answered = async {
        let answer = client.report_network_delivery(request).await;
        answer.map_err(Failure::from)
    };
    let ((), response) = futures::try_join!(sent, answered)?;
    NetworkReportResult::from_proto(response.into_inner())
}

fn message(part: Part) -> ReportNetworkDeliveryRequest {
    ReportNetworkDeliveryRequest { part: Some(part) }
}
