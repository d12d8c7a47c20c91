//! What an order waits for.

use crate::order::entity::Order;
use crate::order::status::Pending;

/// What has to happen next for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bring the ledger to the order's totals.
    Post,
    /// Return hold and coupon, then the order has failed.
    Fail,
    /// The ledger has everything: on to waiting for settlement.
    AwaitSettlement,
    /// Pay out, then the order is settled.
    Settle,
    /// Nothing.
    Done,
}

/// The next step of an order. Postings come first, so every ending finds the ledger complete.
pub fn next_step(order: &Order) -> Step {
    if order.posted_version < order.version {
        return Step::Post;
    }
    match order.pending {
        Some(Pending::Fail) => Step::Fail,
        Some(Pending::Settle) => Step::Settle,
        None if order.awaits_ledger() => Step::AwaitSettlement,
        None => Step::Done,
    }
}
