//! The gRPC services: parse, call, map. No rules, no SQL.

mod admin;
mod approval;
mod ledger;
mod map;
mod user;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_proto::wallet::v1 as proto;
use sqlx::PgPool;

use crate::approval::Approvals;
use crate::destination::Destinations;
use crate::pay_password::PayPasswords;
use crate::peers::Peers;
use crate::posting::Queue;
use crate::property::Property;
use crate::withdrawal::Withdrawals;

/// What every call needs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grpc {
    /// For reads.
    pub pool: PgPool,
    /// For everything that moves money.
    pub queue: Queue,
    /// The other services.
    pub peers: Peers,
    /// Transaction passwords.
    pub passwords: PayPasswords,
    /// Where withdrawals go.
    pub destinations: Destinations,
    /// Withdrawals.
    pub withdrawals: Withdrawals,
    /// What waits for another member of staff.
    pub approvals: Approvals,
    /// The time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
}

impl Grpc {
    /// The figures as they go out.
    fn property(&self, property: Property) -> proto::Property {
        let cooling_off = self.withdrawals.cooling_off();
        let cooled_off_at = cooling_off.end(property.protection_changed_at, self.clock.now());
        map::property(property, cooled_off_at)
    }
}
