//! The rules of the life of an order.

use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::entity::{Order, PutTerms};
use super::status::{Filter, Status};
use crate::ids::{OrderId, ProductId};
use crate::product::entity::{Audience, Details, Product, Terms};

const DAY: TimeDelta = TimeDelta::days(1);

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Of a product that takes puts up to `put_max`.
pub fn details(put_max: Money) -> Details {
    Details {
        name: "Runner".into(),
        icon_url: String::new(),
        cover_url: String::new(),
        category: String::new(),
        description: String::new(),
        game_description: String::new(),
        content_types: Vec::new(),
        put_min: Money::from_minor(1),
        put_max,
        audience: Audience::default(),
        terms: Terms::default(),
    }
}

fn placing() -> Order {
    let details = details(Money::from_minor(10_000));
    let product = Product {
        id: ProductId(Uuid::from_u128(7)),
        details,
        created_at: now(),
    };
    Order::for_put(
        OrderId(Uuid::from_u128(1)),
        UserId(Uuid::from_u128(2)),
        &product,
        Money::from_minor(10_000),
        now(),
    )
}

fn terms() -> PutTerms {
    PutTerms {
        put_amount: Money::from_minor(10_000),
        paid: Money::from_minor(10_000),
        discount: Money::ZERO,
        coupon: None,
    }
}

fn matching() -> Order {
    let mut order = placing();
    order.place(terms(), now(), DAY).unwrap();
    order
}

fn charge(order: &mut Order, minor: i64) {
    order.delivered.charged = Micros::try_from(Money::from_minor(minor)).unwrap();
    order.delivered.reported = order.delivered.charged;
}

#[test]
fn a_put_is_seen_from_its_payment_on() {
    let mut order = placing();
    assert!(!order.is_listed());
    let transition = order.place(terms(), now(), DAY).unwrap();
    assert_eq!((transition.from, transition.to), (None, Status::Matching));
    assert_eq!(order.window_ends_at, Some(now() + DAY));
    assert!(order.place(terms(), now(), DAY).is_err(), "not twice");
}

#[test]
fn a_refused_put_leaves_a_pushed_plan_waiting() {
    let mut order = pushed_until(now() + DAY);
    assert_eq!(order.refuse_put(false, "INSUFFICIENT_BALANCE", now()), None);
    assert!(order.is_puttable(now()));
    let transition = order
        .refuse_put(true, "INSUFFICIENT_BALANCE", now())
        .unwrap();
    assert_eq!(transition.to, Status::PutFailed);
}

fn pushed_until(expires_at: DateTime<Utc>) -> Order {
    placing().pushed(
        Some(expires_at),
        None,
        String::new(),
        String::new(),
        Audience::default(),
    )
}

#[test]
fn a_pushed_plan_expires_when_its_time_is_over() {
    let mut order = pushed_until(now() + DAY);
    assert!(order.expire(now()).is_err(), "not before");
    assert!(!order.is_puttable(now() + DAY), "also before it is expired");
    let transition = order.expire(now() + DAY).unwrap();
    assert_eq!(
        (transition.to, transition.reason.as_str()),
        (Status::PutFailed, "EXPIRED")
    );
    assert!(order.expire(now() + DAY).is_err(), "not twice");
    let mut put = pushed_until(now() + DAY);
    put.place(terms(), now(), DAY).unwrap();
    assert!(put.expire(now() + DAY).is_err(), "not once it is put");
}

#[test]
fn the_first_report_starts_delivery_and_the_last_cent_ends_it() {
    let mut order = matching();
    charge(&mut order, 9_999);
    let steps = order.progress(now(), DAY).unwrap();
    assert_eq!(
        steps.iter().map(|step| step.to).collect::<Vec<_>>(),
        [Status::Putting]
    );
    assert_eq!(order.put_progress(), 99);
    charge(&mut order, 10_000);
    let steps = order.progress(now(), DAY).unwrap();
    assert_eq!(
        steps.iter().map(|step| step.to).collect::<Vec<_>>(),
        [Status::PutFinished]
    );
    assert_eq!(order.settle_after, Some(now() + DAY));
    assert_eq!(order.refuses_reports(), None, "networks may still restate");
}

#[test]
fn what_was_consumed_cannot_fail() {
    let mut order = matching();
    charge(&mut order, 1);
    order.progress(now(), DAY).unwrap();
    assert!(order.begin_fail("no").is_err());
    charge(&mut order, 0);
    order.begin_fail("no").unwrap();
    assert!(order.refuses_reports().is_some());
    assert!(order.finish("", now(), DAY).is_err(), "one ending only");
    assert_eq!(order.fail(now()).unwrap().reason, "no");
}

#[test]
fn settles_once_and_only_after_waiting() {
    let mut order = matching();
    assert!(order.begin_settle().is_err());
    order.finish("enough", now(), DAY).unwrap();
    assert!(order.begin_settle().is_err());
    order.await_settlement(now()).unwrap();
    assert!(!order.is_settling());
    order.begin_settle().unwrap();
    assert!(order.is_settling());
    assert!(order.begin_settle().is_err());
    assert_eq!(order.to_be_consumed(), Money::from_minor(10_000));
    order.settle(Money::from_minor(5), now()).unwrap();
    assert!(order.settle(Money::from_minor(5), now()).is_err());
    assert_eq!(order.to_be_consumed(), Money::ZERO);
}

#[test]
fn a_coupon_pays_its_part_of_what_was_consumed() {
    let mut order = placing();
    let coupon = PutTerms {
        put_amount: Money::from_minor(10_000),
        paid: Money::from_minor(8_000),
        discount: Money::from_minor(2_000),
        coupon: None,
    };
    order.place(coupon, now(), DAY).unwrap();
    let minor = |order: &Order, share| (order.coupon_share().minor(), order.result(share).minor());
    assert_eq!(minor(&order, 0), (0, 0));
    // What is given back is rounded down for the coupon: 1,999.4 of 9,997 are 1,999.
    charge(&mut order, 3);
    assert_eq!(minor(&order, 0), (1, -2));
    charge(&mut order, 5_000);
    order.delivered.revenue = Micros::try_from(Money::from_minor(6_155)).unwrap();
    assert_eq!(minor(&order, 0), (1_000, 6_155 - 4_000));
    // The platform keeps a tenth of the revenue, rounded down.
    assert_eq!(minor(&order, 1_000), (1_000, 6_155 - 615 - 4_000));
    order.finish("enough", now(), DAY).unwrap();
    order.await_settlement(now()).unwrap();
    order.begin_settle().unwrap();
    order.settle(Money::from_minor(5_000), now()).unwrap();
    assert_eq!(
        minor(&order, 0),
        (1_000, 5_000 - 4_000),
        "what was paid out"
    );
}

#[test]
fn a_filter_is_narrowed_to_a_figure() {
    let all = Filter {
        statuses: Status::LISTED.to_vec(),
        official: vec![true, false],
    };
    assert!(all.is_whole());
    assert_eq!(all.within(&Status::OPEN).statuses, Status::OPEN);
    let failed = Filter {
        statuses: vec![Status::PutFailed],
        ..all
    };
    assert!(!failed.is_whole());
    assert_eq!(failed.within(&Status::PAID).statuses, []);
}
