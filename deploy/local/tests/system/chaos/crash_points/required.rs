//! The points that the journeys must pass, so that the matrix cannot become empty unnoticed.

use std::collections::BTreeSet;

use adfolio_local::Service;

use super::points::Passes;

/// A service, the prefix of its points, and the least number of different places or labels.
const REQUIRED: [(Service, &str, usize); 39] = [
    // The put saga: begun; reserved, refused, undone, redeemed; placed.
    (Service::Plan, "services/plan/src/put/begin.rs", 1),
    (Service::Plan, "services/plan/src/put/drive.rs", 4),
    (Service::Plan, "services/plan/src/put/place.rs", 1),
    // What follows it: finished, failed, settled; posted, moved on.
    (Service::Plan, "services/plan/src/settlement/mod.rs", 2),
    (Service::Plan, "services/plan/src/settlement/worker.rs", 6),
    // A file: staged; proposed, decided, taken.
    (Service::Plan, "services/plan/src/delivery/import.rs", 1),
    (
        Service::Plan,
        "services/plan/src/delivery/proposal/mod.rs",
        3,
    ),
    (Service::Plan, "services/plan/src/order/push.rs", 1),
    (Service::Plan, CONSUMER, 1),
    (Service::Plan, RELAY, 1),
    // The exchange saga: begun, decided, expired; open, refused, ended.
    (
        Service::Acceptor,
        "services/acceptor/src/exchange/opening.rs",
        1,
    ),
    (
        Service::Acceptor,
        "services/acceptor/src/exchange/decision.rs",
        1,
    ),
    (
        Service::Acceptor,
        "services/acceptor/src/exchange/mod.rs",
        1,
    ),
    (
        Service::Acceptor,
        "services/acceptor/src/exchange/drive.rs",
        3,
    ),
    (Service::Acceptor, RELAY, 1),
    (Service::Wallet, "hold", 1),
    (Service::Wallet, "release", 1),
    (Service::Wallet, "record_delivery", 1),
    (Service::Wallet, "settle", 1),
    (Service::Wallet, "exchange_debit", 1),
    (Service::Wallet, "exchange_return", 1),
    (Service::Wallet, "exchange_credit", 1),
    (Service::Wallet, "withdraw", 1),
    (Service::Wallet, "withdrawal_paid", 1),
    (Service::Wallet, "withdrawal_rejected", 1),
    (Service::Wallet, "deposit", 1),
    (Service::Wallet, "chargeback", 1),
    (Service::Wallet, "membership", 1),
    (Service::Wallet, CONSUMER, 1),
    (Service::Wallet, RELAY, 1),
    (Service::Coupon, "services/coupon/src/coupon/mod.rs", 1),
    (Service::Coupon, "services/coupon/src/reservation/mod.rs", 3),
    (Service::Coupon, CONSUMER, 1),
    (Service::Coupon, RELAY, 1),
    // Notices of passwords, cards, deposits, withdrawals, plans, coupons and exchange orders.
    (Service::Notification, CONSUMER, 7),
    (Service::Notification, RELAY, 1),
    // Audit, security and membership.
    (Service::Auth, CONSUMER, 3),
    (
        Service::Auth,
        "services/auth/src/user/password_change.rs",
        1,
    ),
    (Service::Auth, RELAY, 1),
];

const CONSUMER: &str = "services/kit/src/consumer/lanes.rs";

const RELAY: &str = "services/kit/src/outbox/relay.rs";

const WRITER: &str = "services/wallet/src/posting/writer.rs";

/// Requires all of it, before and after the commit.
pub fn assert_passed(passes: impl Fn(Service) -> Passes) {
    for (service, what, least) in REQUIRED {
        for moment in [" BeforeCommit", " AfterCommit"] {
            let seen = passes(service);
            let places: BTreeSet<&str> = seen
                .keys()
                .filter_map(|point| point.strip_suffix(moment))
                .filter(|place| is_of(place, what))
                .collect();
            assert!(
                places.len() >= least,
                "{service} passes {what}{moment} at {places:?}, and that is too little"
            );
        }
    }
}

/// Whether a place is in the file, or is the writer's with that command.
fn is_of(place: &str, what: &str) -> bool {
    if place.starts_with(WRITER) {
        place.rsplit(' ').next() == Some(what)
    } else {
        place.starts_with(what)
    }
}
