//! What the gateway itself does for networks, in front of a plan that notes what it hears.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;

use adfolio_gateway::dto::network::{Allotments, NetworkReports};
use adfolio_gateway::input::Input as _;
use adfolio_gateway::lines::Lines;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::plan::v1::network_service_server::NetworkService;
use adfolio_proto::plan::v1::report_network_delivery_request::Part;
use adfolio_proto::plan::v1::{
    Allotment, Creative, ListAllotmentsRequest, ListAllotmentsResponse, PriceModel, RejectedRow,
    ReportNetworkDeliveryRequest, ReportNetworkDeliveryResponse,
};
use adfolio_testkit::eventually;
use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt as _;
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::fakes::{Answer, Fakes, Front};

pub const KEY: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e7aa5ec2e75ec2e75ec2e75ec2e75ec2e7aa";

/// What the services accept in one message.
const MOST_BYTES: usize = 1024 * 1024;

/// What plan hears of networks, and how it answers.
#[derive(Debug, Default)]
pub struct Heard {
    /// What the network is allotted.
    pub allotments: Vec<Allotment>,
    /// How many answers to reports get lost.
    pub lost_answers: usize,
    /// Whether answers to reports never come.
    pub is_silent: bool,
    /// Calls, whatever their key.
    pub calls: usize,
    /// Reports by their ids.
    pub reports: BTreeMap<String, Value>,
    /// Complete bodies of reports.
    pub bodies: Vec<Vec<u8>>,
    /// `after` and `limit` of the last call for allotments.
    asked: (String, u32),
    /// Bytes of the body that is coming in.
    arriving: usize,
    /// Bodies that did not come to their end.
    cancelled: usize,
}

impl Heard {
    /// Takes the reports of a body.
    fn take(&mut self, body: Vec<u8>) -> ReportNetworkDeliveryResponse {
        let mut answer = ReportNetworkDeliveryResponse {
            sha256: "9f".repeat(32),
            ..ReportNetworkDeliveryResponse::default()
        };
        for line in body
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            answer.read += 1;
            let report: Value = serde_json::from_slice(line).unwrap();
            let Some(id) = report["report_id"].as_str() else {
                answer.rejected_count += 1;
                answer.rejected.push(RejectedRow {
                    line: answer.read,
                    reason: "report_id is missing".to_owned(),
                });
                continue;
            };
            if let Some(known) = self.reports.get(id) {
                assert_eq!(*known, report, "the same report says something else");
                answer.repeated_reports += 1;
            } else {
                self.reports.insert(id.to_owned(), report);
                answer.applied += 1;
            }
        }
        self.bodies.push(body);
        answer
    }
}

fn known(key: &str) -> Result<(), Status> {
    if key == KEY {
        return Ok(());
    }
    Err(Refusal::new(Reason::NotAuthenticated).into())
}

pub fn allotment() -> Allotment {
    let at = |seconds| Some(pbjson_types::Timestamp { seconds, nanos: 0 });
    Allotment {
        id: "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43".to_owned(),
        plan_number: "AD261120K3F9ZQ".to_owned(),
        placement_id: "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42".to_owned(),
        placement_name: "Feed, top".to_owned(),
        budget_micros: 10_010_000,
        units: 5_005,
        model: PriceModel::Cpm.into(),
        cost_micros: 2_000_000,
        revenue_micros: 3_105_000,
        from: at(1_795_000_000),
        to: at(1_795_000_300),
        report_until: at(1_795_000_900),
        creative: Some(Creative {
            title: "Repair the harbour".to_owned(),
            picture_url: "/media/cover.png".to_owned(),
            destination_url: "https://example.com/harbour".to_owned(),
        }),
    }
}

#[tonic::async_trait]
impl NetworkService for Fakes {
    async fn list_allotments(
        &self,
        request: Request<ListAllotmentsRequest>,
    ) -> Result<Response<ListAllotmentsResponse>, Status> {
        let ListAllotmentsRequest {
            network_key,
            after,
            limit,
        } = request.into_inner();
        let mut said = self.said();
        said.networks.calls += 1;
        known(&network_key)?;
        said.networks.asked = (after.clone(), limit);
        let all = &said.networks.allotments;
        let known = all.iter().position(|allotment| allotment.id == after);
        let items = match known {
            Some(place) => &all[place + 1..],
            None if after.is_empty() => all,
            None => return Err(Refusal::invalid("after").into()),
        };
        let next = items.last().map_or(after, |last| last.id.clone());
        let items = items.to_vec();
        Ok(Response::new(ListAllotmentsResponse { items, next }))
    }

    async fn report_network_delivery(
        &self,
        request: Request<Streaming<ReportNetworkDeliveryRequest>>,
    ) -> Result<Response<ReportNetworkDeliveryResponse>, Status> {
        let mut cancelled = Cancelled(Some(self.clone()));
        let mut messages = request.into_inner();
        self.said().networks.calls += 1;
        let first = messages.message().await?.and_then(|message| message.part);
        let Some(Part::NetworkKey(key)) = first else {
            return Err(Status::invalid_argument("the key comes first"));
        };
        if let Err(refused) = known(&key) {
            cancelled.0 = None;
            return Err(refused);
        }
        let mut lines = Vec::new();
        while let Some(message) = messages.message().await? {
            let Some(Part::Chunk(chunk)) = message.part else {
                return Err(Status::invalid_argument("lines follow the key"));
            };
            assert!(chunk.len() <= MOST_BYTES, "{}", chunk.len());
            lines.extend(chunk);
            self.said().networks.arriving = lines.len();
        }
        // tonic ends the messages of a cancelled call as if they were all. The call is dropped where it waits next, as for
        // the database.
        tokio::task::yield_now().await;
        cancelled.0 = None;
        let (answer, is_silent) = {
            let networks = &mut self.said().networks;
            (networks.take(lines), networks.is_silent)
        };
        if is_silent {
            pending::<()>().await;
        }
        let lost = &mut self.said().networks.lost_answers;
        if *lost > 0 {
            *lost -= 1;
            return Err(Status::unavailable("lost"));
        }
        Ok(Response::new(answer))
    }
}

/// Notes a report that came to no end: its call was dropped, or its stream broke.
struct Cancelled(Option<Fakes>);

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(fakes) = &self.0 {
            fakes.said().networks.cancelled += 1;
        }
    }
}

async fn allotments(front: &Front, query: &str, key: &str) -> Answer {
    let request = front.get(&format!("/network/allotments{query}"));
    front.send(request.header("X-Network-Key", key)).await
}

fn report(front: &Front, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    let request = front.http.post(format!("{}/network/reports", front.url));
    request.header("X-Network-Key", KEY).body(body)
}

/// A body that a test sends piece by piece.
fn slow_body() -> (Sender<&'static str>, reqwest::Body) {
    let (sender, pieces) = mpsc::channel(1);
    let pieces = ReceiverStream::new(pieces).map(|piece: &str| {
        let piece = Bytes::from_static(piece.as_bytes());
        Ok::<_, Infallible>(Frame::data(piece))
    });
    (sender, reqwest::Body::wrap(StreamBody::new(pieces)))
}

#[tokio::test]
async fn what_cannot_be_a_key_reaches_no_service_and_what_can_is_for_plan_to_know() {
    let front = Front::start().await;
    let refused = (200, 401, "NOT_AUTHENTICATED".to_owned());
    let upper_case = KEY.to_uppercase();
    let longer = format!("{KEY}0");
    for key in ["", "5ec2e7", &upper_case, &longer, &KEY.replace('a', "g")] {
        let answer = allotments(&front, "", key).await;
        assert_eq!(answer.refusal(), refused, "{key}");
        let request = report(&front, "{}");
        let mut request = request.build().unwrap();
        let header = key.parse().unwrap();
        request.headers_mut().insert("X-Network-Key", header);
        let response = front.http.execute(request).await.unwrap();
        let envelope: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        assert_eq!(envelope["data"]["reason"], "NOT_AUTHENTICATED", "{key}");
    }
    let without = front.send(front.get("/network/allotments")).await;
    assert_eq!(without.refusal(), refused);
    // A token is no key.
    let token = front.get("/network/allotments").header("X-CT", KEY);
    assert_eq!(front.send(token).await.refusal(), refused);
    assert_eq!(front.fakes.said().networks.calls, 0);
    let unknown = allotments(&front, "", &"0".repeat(64)).await;
    assert_eq!(unknown.refusal(), refused);
    assert_eq!(front.fakes.said().networks.calls, 1);
}

#[tokio::test]
async fn allotments_follow_the_last_one_and_are_not_sent_twice() {
    let front = Front::start().await;
    front.fakes.said().networks.allotments = vec![allotment()];
    let answer = allotments(&front, "?limit=1000", KEY).await;
    let data = answer.data();
    assert_eq!(
        data,
        json!({
            "items": [{
                "allotment_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43", "plan_number": "AD261120K3F9ZQ",
                "placement": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42", "placement_name": "Feed, top", "budget": "10.01",
                "units": 5005, "price": {"model": "cpm", "cost": "2.00", "revenue": "3.105"},
                "from": "2026-11-18T11:06:40.000Z", "to": "2026-11-18T11:11:40.000Z",
                "report_until": "2026-11-18T11:21:40.000Z", "creative": {
                    "title": "Repair the harbour", "picture": "/media/cover.png",
                    "destination": "https://example.com/harbour",
                },
            }],
            "next": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43",
        })
    );
    assert_eq!(front.fakes.said().networks.asked, (String::new(), 1000));
    let again = front.get("/network/allotments?limit=1000");
    let again = again.header("If-None-Match", answer.header("etag"));
    let again = front.send(again.header("X-Network-Key", KEY)).await;
    assert_eq!((again.http, again.body.len()), (304, 0));
    let next = data["next"].as_str().unwrap();
    let rest = allotments(&front, &format!("?after={next}"), KEY).await;
    assert_eq!(rest.data(), json!({"items": [], "next": next}));
    assert_eq!(front.fakes.said().networks.asked, (next.to_owned(), 0));
    for limit in ["0", "1001", "x"] {
        let answer = allotments(&front, &format!("?limit={limit}"), KEY).await;
        assert_eq!(answer.refusal().2, "VALIDATION", "{limit}");
        assert_eq!(answer.envelope()["data"]["field"], "limit");
    }
    let none = Allotments::from_proto(ListAllotmentsResponse::default()).unwrap();
    assert_eq!(serde_json::to_value(none).unwrap()["next"], Value::Null);
}

#[tokio::test]
async fn reports_reach_plan_as_they_arrive() {
    let front = Front::start().await;
    let (sender, body) = slow_body();
    let sending = front.send(report(&front, body));
    let writing = async {
        sender.send("{\"report_id\":").await.unwrap();
        // The rest is sent once plan has this, so nothing waits for the end of the body.
        eventually("plan has the first piece", || async {
            front.fakes.said().networks.arriving == "{\"report_id\":".len()
        })
        .await;
        sender.send("\"1\"}\n{}\n").await.unwrap();
        drop(sender);
    };
    let (answer, ()) = futures::join!(sending, writing);
    assert_eq!(
        answer.data(),
        json!({
            "sha256": "9f".repeat(32), "read": 2, "applied": 1, "repeated": 0, "restated": 0, "held": [],
            "rejected": [{"line": 2, "reason": "report_id is missing"}], "rejected_count": 1, "quarantined": [],
            "quarantined_count": 0,
        })
    );
    let large = vec![b'\n'; 3 * MOST_BYTES + 1];
    front.send(report(&front, large.clone())).await.data();
    let said = front.fakes.said();
    assert_eq!(said.networks.bodies[0], b"{\"report_id\":\"1\"}\n{}\n");
    assert_eq!(said.networks.bodies[1], large);
}

#[tokio::test]
async fn a_report_that_breaks_off_is_cancelled() {
    let front = Front::start().await;
    let address = front.url.trim_start_matches("http://");
    let address = address.trim_end_matches("/api");
    let mut client = TcpStream::connect(address).await.unwrap();
    let part = format!(
        "POST /api/network/reports HTTP/1.1\r\nHost: x\r\nX-Network-Key: {KEY}\r\nContent-Length: 100\r\n\r\n{{}}\n"
    );
    client.write_all(part.as_bytes()).await.unwrap();
    eventually("plan has the first piece", || async {
        front.fakes.said().networks.arriving == 3
    })
    .await;
    drop(client);
    eventually("the call is cancelled", || async {
        front.fakes.said().networks.cancelled == 1
    })
    .await;
    assert!(front.fakes.said().networks.bodies.is_empty());
}

#[tokio::test]
async fn a_body_says_that_it_is_lines_or_nothing() {
    let front = Front::start().await;
    for known in [
        "application/x-ndjson",
        "application/jsonl",
        "Text/Plain; charset=utf-8",
    ] {
        let request = report(&front, "{}\n").header("Content-Type", known);
        front.send(request).await.data();
    }
    for other in ["application/json", "application/x-www-form-urlencoded"] {
        let request = report(&front, "{}\n").header("Content-Type", other);
        let refused = (415, 400, "VALIDATION".to_owned());
        assert_eq!(front.send(request).await.refusal(), refused, "{other}");
    }
    assert_eq!(front.fakes.said().networks.calls, 3);
}

#[tokio::test]
async fn a_body_has_a_limit_with_and_without_a_length() {
    let refused = |failure: adfolio_gateway::errors::Failure| {
        (failure.status.as_u16(), failure.refusal.reason)
    };
    let too_large = (413, Reason::FileTooLarge);
    let request = |body: Body| axum::extract::Request::new(body);
    let lines = Lines::<NetworkReports>::read(request(Body::from("12345")), 4).await;
    assert_eq!(refused(lines.unwrap_err()), too_large);
    let pieces = ["123", "45"].map(|piece| Ok::<_, Infallible>(Bytes::from(piece)));
    let body = Body::from_stream(futures::stream::iter(pieces));
    let mut lines = Lines::<NetworkReports>::read(request(body), 4)
        .await
        .unwrap();
    assert_eq!(lines.next_piece().await.unwrap().unwrap(), "123");
    assert_eq!(refused(lines.next_piece().await.unwrap_err()), too_large);
}

#[tokio::test]
async fn a_flood_under_one_key_is_refused_wherever_it_comes_from() {
    let front = Front::start_with(|config| config.flood_limit_session_per_second = 5).await;
    let mut answered = 0;
    let refused = loop {
        let request = front.get("/network/allotments");
        let request = request.header("X-Forwarded-For", format!("203.0.113.{answered}"));
        let answer = front.send(request.header("X-Network-Key", KEY)).await;
        if answer.http != 200 {
            break answer;
        }
        answered += 1;
        assert!(answered < 200, "the flood is refused");
    };
    assert_eq!(
        refused.refusal(),
        (429, 429, "TOO_MANY_ATTEMPTS".to_owned())
    );
    // Another key is no flood.
    let other = allotments(&front, "", &"0".repeat(64)).await;
    assert_eq!(other.refusal().2, "NOT_AUTHENTICATED");
}
