//! Calls to other services: auth makes members, plan and coupon answer for their books.

use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::{Call, Channel, ClientOptions, connect_to};
use adfolio_kit::config::ConfigError;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::chain;
use adfolio_kit::tls::Tls;
use adfolio_proof::tree::{AUDIT_LOG, Head, REPORTS};
use adfolio_proto::auth::v1::staff_directory_service_client::StaffDirectoryServiceClient;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{GetAuditSealRequest, GrantMembershipRequest};
use adfolio_proto::coupon::v1::GetRedeemedTotalRequest;
use adfolio_proto::coupon::v1::coupon_reservation_service_client::CouponReservationServiceClient;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use tonic::Code;
use tracing::warn;
use uuid::Uuid;

use crate::config::PeerArgs;
use crate::ids::OrderId;
use crate::reconcile::entity::{CouponBook, Delivered, DeliveryBook, HoldBook};

/// A call to another service may take this long.
const CALL_LIMIT: Duration = Duration::from_secs(3);

/// The time for making a user a member at once, attempts included: well below what callers wait for a posting.
const GRANT_LIMIT: Duration = Duration::from_secs(1);

/// A hash chain of another service that wallet publishes beside those of wallets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// What staff did, at auth.
    Audit,
    /// What was reported, at plan.
    Reports,
}

impl Log {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Audit, Self::Reports];

    /// Stands for a user's id in its heads.
    pub fn id(self) -> Uuid {
        match self {
            Self::Audit => AUDIT_LOG,
            Self::Reports => REPORTS,
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit log",
            Self::Reports => "chain of reports",
        }
    }

    fn service(self) -> &'static str {
        match self {
            Self::Audit => "auth",
            Self::Reports => "plan",
        }
    }
}

/// A place in a [`Log`].
#[derive(Clone, Debug, Default)]
pub struct LogSeal {
    /// None where the chain is broken or has none yet.
    pub head: Option<Head>,
    /// The first number that does not fit, and what is wrong there.
    pub broken: Option<(i64, String)>,
}

/// Clients of other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    auth: UserDirectoryServiceClient<Channel>,
    staff: StaffDirectoryServiceClient<Channel>,
    plan: PlanReconcileServiceClient<Channel>,
    coupon: CouponReservationServiceClient<Channel>,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(args: &PeerArgs, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let open = |service, url: &str| connect_to(service, url, ClientOptions::default(), tls);
        let auth = open("auth", &args.auth_url)?;
        Ok(Self {
            auth: UserDirectoryServiceClient::new(auth.clone()),
            staff: StaffDirectoryServiceClient::new(auth),
            plan: PlanReconcileServiceClient::new(open("plan", &args.plan_url)?),
            coupon: CouponReservationServiceClient::new(open("coupon", &args.coupon_url)?),
        })
    }

    /// Makes a user a member at once. If auth does not answer soon, it learns of the membership from the event: the
    /// fee is posted, and its answer must not be late for that.
    pub async fn grant_membership(&self, caller: &Caller, user_id: UserId) {
        let request = GrantMembershipRequest {
            user_id: user_id.to_string(),
        };
        let caller = caller.without_identity();
        let call = Call::repeated(&caller, GRANT_LIMIT).within(GRANT_LIMIT);
        if let Err(status) = call!(self.auth, grant_membership, request, call).await {
            warn!(%user_id, code = ?status.code(), "membership is granted by its event later");
        }
    }

    /// The newest hash of each log. One whose service does not answer, or that has none yet, is left out: the next
    /// checkpoint has it.
    pub async fn log_heads(&self) -> Vec<Head> {
        let mut heads = Vec::with_capacity(Log::ALL.len());
        for log in Log::ALL {
            match self.log_seal(log, 0).await {
                Ok(seal) => heads.extend(seal.head),
                Err(error) => {
                    // A replica of the release before knows no chain.
                    warn!(
                        log = log.name(),
                        error = chain(&error),
                        "this checkpoint leaves a log out"
                    );
                }
            }
        }
        heads
    }

    /// A number in a log, with what its service recomputes before it; 0 for the newest, as it is stored.
    pub async fn log_seal(&self, log: Log, sequence: i64) -> Result<LogSeal, CoreError> {
        let caller = Caller::system();
        let call = Call::repeated(&caller, CALL_LIMIT);
        let answer = match log {
            Log::Audit => {
                let request = GetAuditSealRequest { sequence };
                call!(self.staff, get_audit_seal, request, call)
                    .await
                    .map(|it| (it.sequence, it.hash, it.broken_sequence, it.detail))
            }
            Log::Reports => {
                let request = plan::GetReportSealRequest { sequence };
                call!(self.plan, get_report_seal, request, call)
                    .await
                    .map(|it| (it.sequence, it.hash, it.broken_sequence, it.detail))
            }
        };
        let (seq, hash, broken, detail) = match answer {
            Ok(answer) => answer,
            // Nothing has a place yet.
            Err(status) if status.code() == Code::NotFound => return Ok(LogSeal::default()),
            Err(status) => return Err(CoreError::from_peer(log.service(), status)),
        };
        if broken > 0 {
            return Ok(LogSeal {
                head: None,
                broken: Some((broken, detail)),
            });
        }
        let hash = hash.try_into();
        Ok(LogSeal {
            head: Some(Head {
                user_id: log.id(),
                seq,
                hash: hash.map_err(|_| CoreError::Corrupt("hash of another service's chain"))?,
            }),
            broken: None,
        })
    }

    /// The orders after `after` that hold money by plan's books, in order of id.
    pub async fn list_holds(&self, after: OrderId, limit: u32) -> Result<Vec<HoldBook>, CoreError> {
        let request = plan::ListHoldsRequest {
            after_order_id: after.to_string(),
            limit,
        };
        let caller = Caller::system();
        let call = Call::repeated(&caller, CALL_LIMIT);
        let answer = call!(self.plan, list_holds, request, call)
            .await
            .map_err(|status| CoreError::from_peer("plan", status))?;
        answer.items.iter().map(hold_book).collect()
    }

    /// What the plans after `after` have consumed and earned by plan's books, in order of id.
    pub async fn list_delivery_books(
        &self,
        after: OrderId,
        limit: u32,
    ) -> Result<Vec<DeliveryBook>, CoreError> {
        let request = plan::ListDeliveryBooksRequest {
            after_order_id: after.to_string(),
            limit,
        };
        let caller = Caller::system();
        let call = Call::repeated(&caller, CALL_LIMIT);
        let answer = call!(self.plan, list_delivery_books, request, call)
            .await
            .map_err(|status| CoreError::from_peer("plan", status))?;
        answer.items.iter().map(delivery_book).collect()
    }

    /// What coupons cost by coupon's books.
    pub async fn redeemed_total(&self) -> Result<CouponBook, CoreError> {
        let caller = Caller::system();
        let call = Call::repeated(&caller, CALL_LIMIT);
        let answer = call!(
            self.coupon,
            get_redeemed_total,
            GetRedeemedTotalRequest {},
            call
        )
        .await
        .map_err(|status| CoreError::from_peer("coupon", status))?;
        Ok(CouponBook {
            redeemed: answer.redeemed_minor,
            reserved: answer.reserved_minor,
        })
    }
}

fn hold_book(book: &plan::HoldBook) -> Result<HoldBook, CoreError> {
    let order_id = book.order_id.parse();
    Ok(HoldBook {
        order_id: order_id.map_err(|_| CoreError::Corrupt("order id in plan's books"))?,
        open: book.open_minor,
        is_in_flight: book.in_flight,
    })
}

fn delivery_book(book: &plan::DeliveryBook) -> Result<DeliveryBook, CoreError> {
    let order_id = book.order_id.parse();
    Ok(DeliveryBook {
        order_id: order_id.map_err(|_| CoreError::Corrupt("order id in plan's books"))?,
        delivered: Delivered {
            consumed: book.consumed_minor,
            revenue: book.revenue_minor,
        },
        is_in_flight: book.in_flight,
        is_explained: book.equals_reports && book.equals_buckets,
    })
}
