//! Auth, plan and coupon as wallet sees them: they answer what the test tells them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use adfolio_kit::payment_reference::payment_reference;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::auth::v1::staff_directory_service_server::{
    StaffDirectoryService, StaffDirectoryServiceServer,
};
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::coupon::v1::coupon_reservation_service_server::{
    CouponReservationService, CouponReservationServiceServer,
};
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::plan::v1::plan_reconcile_service_server::{
    PlanReconcileService, PlanReconcileServiceServer,
};
use adfolio_testkit::free_listener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use uuid::Uuid;

/// What the peers answer.
#[derive(Debug, Default)]
pub struct PeerBooks {
    /// Users that auth knows.
    pub users: HashSet<String>,
    /// Orders that hold money by plan's books.
    pub holds: BTreeMap<Uuid, OpenHold>,
    /// What orders have consumed and earned by plan's books, and whether their reports say the same.
    pub delivered: BTreeMap<Uuid, (i64, i64, bool)>,
    /// What coupons cost by coupon's books.
    pub redeemed: Redeemed,
    /// How often auth was asked.
    pub look_ups: usize,
    /// Users who became members.
    pub members: Vec<String>,
    /// Whether auth refuses to make members.
    pub members_refused: bool,
    /// Answers to who may decide what whom asked for; any other two are two people.
    pub pairs: HashMap<[String; 2], auth::SecondPair>,
    /// Whether auth does not say who may decide.
    pub pairs_refused: bool,
    /// How often plan was asked for its holds.
    pub hold_lists: usize,
    /// Hashes of the audit log's chain by number.
    pub audit_seals: Seals,
    /// Hashes of the chain of reports by number.
    pub report_seals: Seals,
}

/// Hashes of a chain by number.
pub type Seals = BTreeMap<i64, [u8; 32]>;

/// A place in a chain, and its hash, or what is wrong there; 0 is the newest one.
type Answered = (i64, Vec<u8>, Option<(i64, String)>);

fn answer_seal(seals: &Seals, sequence: i64) -> Result<Answered, Status> {
    let Some(newest) = seals.last_key_value() else {
        return Err(Refusal::not_found("sequence").into());
    };
    let found = match sequence {
        0 => Some(newest),
        sequence => seals.get_key_value(&sequence),
    };
    Ok(match found {
        Some((sequence, hash)) => (*sequence, hash.to_vec(), None),
        None => (
            0,
            Vec::new(),
            Some((sequence, "seal is missing".to_owned())),
        ),
    })
}

/// An order that holds money, in minor units.
#[derive(Clone, Copy, Debug)]
pub struct OpenHold {
    pub open: i64,
    pub in_flight: bool,
}

/// Coupons that were redeemed, in minor units, and how much of it is still reserved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Redeemed {
    pub total: i64,
    pub reserved: i64,
}

/// Auth, plan and coupon in one server.
#[derive(Clone, Debug, Default)]
pub struct Peers(Arc<Mutex<PeerBooks>>);

impl Peers {
    /// What they answer from, for the test to change.
    pub fn books(&self) -> Arc<Mutex<PeerBooks>> {
        Arc::clone(&self.0)
    }
}

#[tonic::async_trait]
impl UserDirectoryService for Peers {
    async fn look_up_users(
        &self,
        request: Request<auth::LookUpUsersRequest>,
    ) -> Result<Response<auth::LookUpUsersResponse>, Status> {
        let mut books = self.0.lock().expect("books");
        books.look_ups += 1;
        let request = request.into_inner();
        let asked = |id: &str| {
            let reference = payment_reference(id.parse().expect("a user"));
            request.user_ids.iter().any(|asked| asked == id)
                || request.payment_references.contains(&reference)
        };
        let users = books
            .users
            .iter()
            .filter(|id| asked(id))
            .map(|user_id| auth::UserSummary {
                user_id: user_id.clone(),
                payment_reference: payment_reference(user_id.parse().expect("a user")),
                ..Default::default()
            })
            .collect();
        Ok(Response::new(auth::LookUpUsersResponse { users }))
    }

    async fn grant_membership(
        &self,
        request: Request<auth::GrantMembershipRequest>,
    ) -> Result<Response<auth::GrantMembershipResponse>, Status> {
        let mut books = self.0.lock().expect("books");
        if books.members_refused {
            return Err(Status::internal("out of order"));
        }
        books.members.push(request.into_inner().user_id);
        Ok(Response::new(auth::GrantMembershipResponse {}))
    }
}

#[tonic::async_trait]
impl StaffDirectoryService for Peers {
    async fn check_second_pair(
        &self,
        request: Request<auth::CheckSecondPairRequest>,
    ) -> Result<Response<auth::CheckSecondPairResponse>, Status> {
        let request = request.into_inner();
        let books = self.0.lock().expect("books");
        if books.pairs_refused {
            return Err(Status::unavailable("gone"));
        }
        let pair = [request.asked_by_id, request.decided_by_id];
        let answer = books.pairs.get(&pair).copied();
        let answer = answer.unwrap_or(auth::SecondPair::Yes).into();
        Ok(Response::new(auth::CheckSecondPairResponse { answer }))
    }

    async fn get_audit_seal(
        &self,
        request: Request<auth::GetAuditSealRequest>,
    ) -> Result<Response<auth::GetAuditSealResponse>, Status> {
        let sequence = request.into_inner().sequence;
        let books = self.0.lock().expect("books");
        let (sequence, hash, broken) = answer_seal(&books.audit_seals, sequence)?;
        let (broken_sequence, detail) = broken.unwrap_or_default();
        let answer = auth::GetAuditSealResponse {
            sequence,
            hash,
            broken_sequence,
            detail,
        };
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl PlanReconcileService for Peers {
    async fn list_holds(
        &self,
        request: Request<plan::ListHoldsRequest>,
    ) -> Result<Response<plan::ListHoldsResponse>, Status> {
        let request = request.into_inner();
        let after: Uuid = request.after_order_id.parse().unwrap_or_default();
        let mut books = self.0.lock().expect("books");
        books.hold_lists += 1;
        let items = books
            .holds
            .range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded))
            .map(|(id, hold)| plan::HoldBook {
                order_id: id.to_string(),
                user_id: String::new(),
                open_minor: hold.open,
                in_flight: hold.in_flight,
            });
        Ok(Response::new(plan::ListHoldsResponse {
            items: items.take(request.limit as usize).collect(),
        }))
    }

    async fn list_delivery_books(
        &self,
        request: Request<plan::ListDeliveryBooksRequest>,
    ) -> Result<Response<plan::ListDeliveryBooksResponse>, Status> {
        let request = request.into_inner();
        let after: Uuid = request.after_order_id.parse().unwrap_or_default();
        let books = self.0.lock().expect("books");
        let items = books
            .delivered
            .range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded))
            .map(|(id, (consumed, revenue, explained))| plan::DeliveryBook {
                order_id: id.to_string(),
                consumed_minor: *consumed,
                revenue_minor: *revenue,
                in_flight: false,
                equals_reports: *explained,
                equals_buckets: true,
            });
        Ok(Response::new(plan::ListDeliveryBooksResponse {
            items: items.take(request.limit as usize).collect(),
        }))
    }

    async fn get_report_seal(
        &self,
        request: Request<plan::GetReportSealRequest>,
    ) -> Result<Response<plan::GetReportSealResponse>, Status> {
        let sequence = request.into_inner().sequence;
        let books = self.0.lock().expect("books");
        let (sequence, hash, broken) = answer_seal(&books.report_seals, sequence)?;
        let (broken_sequence, detail) = broken.unwrap_or_default();
        Ok(Response::new(plan::GetReportSealResponse {
            sequence,
            hash,
            broken_sequence,
            detail,
        }))
    }
}

#[tonic::async_trait]
impl CouponReservationService for Peers {
    async fn reserve(
        &self,
        _: Request<coupon::ReserveRequest>,
    ) -> Result<Response<coupon::ReserveResponse>, Status> {
        Err(Status::unimplemented("not asked by wallet"))
    }

    async fn redeem(
        &self,
        _: Request<coupon::RedeemRequest>,
    ) -> Result<Response<coupon::RedeemResponse>, Status> {
        Err(Status::unimplemented("not asked by wallet"))
    }

    async fn release(
        &self,
        _: Request<coupon::ReleaseRequest>,
    ) -> Result<Response<coupon::ReleaseResponse>, Status> {
        Err(Status::unimplemented("not asked by wallet"))
    }

    async fn get_redeemed_total(
        &self,
        _: Request<coupon::GetRedeemedTotalRequest>,
    ) -> Result<Response<coupon::GetRedeemedTotalResponse>, Status> {
        let redeemed = self.0.lock().expect("books").redeemed;
        Ok(Response::new(coupon::GetRedeemedTotalResponse {
            redeemed_minor: redeemed.total,
            reserved_minor: redeemed.reserved,
        }))
    }
}

/// Serves them on a free port and answers their URL.
pub async fn serve(peers: Peers) -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let server = tonic::transport::Server::builder()
        .add_service(UserDirectoryServiceServer::new(peers.clone()))
        .add_service(StaffDirectoryServiceServer::new(peers.clone()))
        .add_service(PlanReconcileServiceServer::new(peers.clone()))
        .add_service(CouponReservationServiceServer::new(peers));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    url
}
