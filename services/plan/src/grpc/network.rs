//! What networks call with their key. There is no other caller to check.

use std::time::Duration;

use adfolio_kit::refusal::Refusal;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::network_service_server::NetworkService;
use adfolio_proto::plan::v1::report_network_delivery_request::Part;
use futures::StreamExt as _;
use futures::stream;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use super::InternalApi;
use crate::allotment::offer::{self, Offer, Position};
use crate::app::App;
use crate::delivery::lines;
use crate::error::PlanError;
use crate::ids::NetworkId;
use crate::network;

/// A stream of allotments ends after so long, so that a key that is not valid any more ends, too.
const STREAM_LIMIT: Duration = Duration::from_mins(10);

/// How often a stream looks for new allotments.
const STREAM_POLL: Duration = Duration::from_secs(1);

#[tonic::async_trait]
impl NetworkService for InternalApi {
    async fn list_allotments(
        &self,
        request: Request<proto::ListAllotmentsRequest>,
    ) -> Result<Response<proto::ListAllotmentsResponse>, Status> {
        let request = request.into_inner();
        let network = network::of_key(&self.0, &request.network_key).await?;
        let limit = match request.limit {
            0 => offer::MOST,
            limit => limit.min(offer::MOST),
        };
        let after = position(&self.0, network.id, &request.after).await?;
        let offers = offer::list(&self.0, network.id, after, limit).await?;
        let last = offers.last().map(|offer| offer.id.to_string());
        Ok(Response::new(proto::ListAllotmentsResponse {
            next: last.unwrap_or(request.after),
            items: offers.into_iter().map(Into::into).collect(),
        }))
    }

    async fn stream_allotments(
        &self,
        request: Request<proto::StreamAllotmentsRequest>,
    ) -> Result<Response<BoxStream<proto::StreamAllotmentsResponse>>, Status> {
        let request = request.into_inner();
        let network = network::of_key(&self.0, &request.network_key).await?;
        let after = position(&self.0, network.id, &request.after).await?;
        let pages = stream::unfold(Pages::new(self.0.clone(), network.id, after), Pages::next);
        let allotments = pages.flat_map(|page| {
            let allotments = match page {
                Ok(offers) => offers.into_iter().map(|offer| {
                    Ok(proto::StreamAllotmentsResponse {
                        allotment: Some(offer.into()),
                    })
                }),
                Err(error) => return stream::iter(vec![Err(Status::from(error))]),
            };
            stream::iter(allotments.collect::<Vec<_>>())
        });
        Ok(Response::new(Box::pin(allotments)))
    }

    async fn report_network_delivery(
        &self,
        request: Request<Streaming<proto::ReportNetworkDeliveryRequest>>,
    ) -> Result<Response<proto::ReportNetworkDeliveryResponse>, Status> {
        let mut messages = request.into_inner();
        let first = messages.message().await.map_err(|_| broken_off())?;
        let Some(Part::NetworkKey(key)) = first.and_then(|message| message.part) else {
            return Err(wrong_stream("the first message is not the key").into());
        };
        let network = network::of_key(&self.0, &key).await?;
        let pieces = messages.map(|message| match message.map_err(|_| broken_off())?.part {
            Some(Part::Chunk(piece)) => Ok(piece),
            _ => Err(wrong_stream("a message is not a piece of the lines")),
        });
        let taken = lines::run(&self.0, &network.source, pieces).await?;
        Ok(Response::new(taken.into()))
    }
}

fn broken_off() -> Refusal {
    wrong_stream("the stream broke off")
}

fn wrong_stream(detail: &str) -> Refusal {
    Refusal::invalid("stream").detail(detail)
}

/// Where a network's list goes on.
pub(super) async fn position(
    app: &App,
    network: NetworkId,
    after: &str,
) -> Result<Option<Position>, PlanError> {
    if after.is_empty() {
        return Ok(None);
    }
    let after = after.parse().map_err(|_| Refusal::invalid("after"))?;
    offer::position(app, network, after).await.map(Some)
}

/// Allotments of a network as they come.
struct Pages {
    app: App,
    network: NetworkId,
    after: Option<Position>,
    ends_at: tokio::time::Instant,
}

impl Pages {
    fn new(app: App, network: NetworkId, after: Option<Position>) -> Self {
        Self {
            app,
            network,
            after,
            ends_at: tokio::time::Instant::now() + STREAM_LIMIT,
        }
    }

    /// The next page; none at the end of the stream's time.
    async fn next(mut self) -> Option<(Result<Vec<Offer>, PlanError>, Self)> {
        while tokio::time::Instant::now() < self.ends_at {
            let page = offer::list(&self.app, self.network, self.after, offer::MOST).await;
            match page {
                Ok(offers) if offers.is_empty() => {
                    tokio::select! {
                        () = self.app.shutdown.cancelled() => return None,
                        () = tokio::time::sleep(STREAM_POLL) => {}
                    }
                }
                Ok(offers) => {
                    self.after = offers.last().map(Position::behind);
                    return Some((Ok(offers), self));
                }
                Err(error) => {
                    // A failure is the stream's last message.
                    self.ends_at = tokio::time::Instant::now();
                    return Some((Err(error), self));
                }
            }
        }
        None
    }
}
