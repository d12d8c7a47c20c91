//! The put saga under a model checker: the transitions are [`Put`]'s own, wallet and coupon are
//! what they promise to be.

use std::collections::BTreeMap;

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::Lease;
use adfolio_money::Money;
use adfolio_testkit::saga::{Checked, Next, Saga, Trouble};
use uuid::Uuid;

use super::entity::{Effect, Put, PutState, Step, Worth};
use crate::ids::{CouponId, OrderId, ReservationId};

const AMOUNT: Money = Money::from_minor(100);
const WORTH: Money = Money::from_minor(40);

/// Enough for one put and not for two, but for two that use a coupon.
const MONEY: Money = Money::from_minor(130);

/// Puts by user and coupon.
#[derive(Debug)]
struct Puts {
    each: Vec<(u128, Option<u128>)>,
    /// The last put's order ends otherwise while its hold is under way, so that what was held comes
    /// back.
    ends_last: bool,
    /// What the checker must find.
    flaw: Option<Flaw>,
}

#[derive(Debug, PartialEq)]
enum Flaw {
    /// Plan takes a refused hold for certain although an earlier attempt may be under way.
    NoDoubt,
    /// Wallet forgets a release that found nothing to give back.
    WalletForgets,
    /// Coupon forgets one.
    CouponForgets,
    /// Wallet holds once more for a repeat.
    WalletRepeats,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    Reserve(ReservationId, CouponId),
    Hold(OrderId, UserId, Money),
    ReleaseHold(OrderId, UserId),
    ReleaseCoupon(ReservationId),
    Redeem(ReservationId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Done,
    Refused(Reason),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Coupon {
    Reserved(CouponId),
    Released,
}

/// Wallet and coupon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Peers {
    available: BTreeMap<UserId, Money>,
    /// What an order holds; none once it is closed.
    holds: BTreeMap<OrderId, Option<Money>>,
    reservations: BTreeMap<ReservationId, Coupon>,
}

impl Peers {
    fn is_taken(&self, coupon: CouponId) -> bool {
        let taken = Coupon::Reserved(coupon);
        self.reservations.values().any(|state| *state == taken)
    }

    fn reserve(&mut self, order: ReservationId, coupon: CouponId) -> Answer {
        match self.reservations.get(&order) {
            Some(Coupon::Reserved(_)) => Answer::Done,
            None if !self.is_taken(coupon) => {
                self.reservations.insert(order, Coupon::Reserved(coupon));
                Answer::Done
            }
            Some(Coupon::Released) | None => Answer::Refused(Reason::CouponNotUsable),
        }
    }

    fn held(&self, order: OrderId) -> Option<Money> {
        self.holds.get(&order).copied().flatten()
    }
}

impl Puts {
    fn hold(&self, peers: &mut Peers, order: OrderId, user: UserId, paid: Money) -> Answer {
        let known = peers.holds.get(&order).copied();
        match known {
            Some(Some(_)) if self.flaw != Some(Flaw::WalletRepeats) => return Answer::Done,
            Some(None) => return Answer::Refused(Reason::PlanNotPuttable),
            _ => {}
        }
        let available = peers.available.get_mut(&user).unwrap();
        if paid > *available {
            return Answer::Refused(Reason::InsufficientBalance);
        }
        *available = available.checked_sub(paid).unwrap();
        let held = known.flatten().unwrap_or(Money::ZERO).checked_add(paid);
        peers.holds.insert(order, Some(held.unwrap()));
        Answer::Done
    }

    fn release_hold(&self, peers: &mut Peers, order: OrderId, user: UserId) -> Answer {
        if let Some(held) = peers.held(order) {
            let available = peers.available.get_mut(&user).unwrap();
            *available = available.checked_add(held).unwrap();
        } else if self.flaw == Some(Flaw::WalletForgets) {
            return Answer::Done;
        }
        peers.holds.insert(order, None);
        Answer::Done
    }
}

impl Saga for Puts {
    type Row = Put;
    type Call = Call;
    type Answer = Answer;
    type Peers = Peers;

    fn beginning(&self) -> (Vec<Put>, Peers) {
        let puts = (1_u128..).zip(&self.each);
        let puts: Vec<Put> = puts
            .map(|(order, (user, coupon))| put(order, *user, *coupon))
            .collect();
        let available = puts.iter().map(|put| (put.user_id, MONEY)).collect();
        let peers = Peers {
            available,
            ..Peers::default()
        };
        (puts, peers)
    }

    fn next(&self, put: &Put, calls: usize) -> Next<Call> {
        let (order, user) = (put.order_id, put.user_id);
        match (put.next_step(), calls) {
            (Step::Done, _) => Next::Rest,
            (Step::Reserve(coupon), 0) => Next::Call(Call::Reserve(put.reservation_id, coupon)),
            (Step::Hold(terms), 0) => Next::Call(Call::Hold(order, user, terms.paid)),
            (Step::Undo, 0) if put.release_hold => Next::Call(Call::ReleaseHold(order, user)),
            // The coupon is the second call of an undoing that began with the hold.
            (Step::Undo, calls)
                if put.user_coupon_id.is_some() && calls == usize::from(put.release_hold) =>
            {
                Next::Call(Call::ReleaseCoupon(put.reservation_id))
            }
            (Step::Redeem, 0) => Next::Call(Call::Redeem(put.reservation_id)),
            _ => Next::Write,
        }
    }

    fn claimed(&self, put: &mut Put) {
        // More than two drives are as good as two.
        put.lease.attempts = 2.min(put.lease.attempts + 1);
    }

    fn perform(&self, peers: &mut Peers, call: &Call) -> Answer {
        match *call {
            Call::Reserve(order, coupon) => peers.reserve(order, coupon),
            Call::Hold(order, user, paid) => self.hold(peers, order, user, paid),
            Call::ReleaseHold(order, user) => self.release_hold(peers, order, user),
            Call::ReleaseCoupon(order) => {
                let is_known = peers.reservations.contains_key(&order);
                if is_known || self.flaw != Some(Flaw::CouponForgets) {
                    peers.reservations.insert(order, Coupon::Released);
                }
                Answer::Done
            }
            Call::Redeem(_) => Answer::Done,
        }
    }

    fn written(&self, put: &Put, answer: Option<&Answer>, in_doubt: bool) -> Put {
        let mut put = put.clone();
        let refusal = match answer {
            Some(Answer::Refused(reason)) => Some(Refusal::new(*reason)),
            _ => None,
        };
        match (put.next_step(), refusal) {
            (Step::Reserve(_), None) => {
                let worth = Worth {
                    effect: Effect::TakesOff,
                    amount: WORTH,
                    coupon_name: "forty".to_owned(),
                };
                put.reserved(worth).unwrap();
            }
            (Step::Reserve(_), Some(refusal)) => put.refuse(refusal, false),
            (Step::Hold(_), None)
                if self.ends_last && put.id.0 == Uuid::from_u128(self.each.len() as u128) =>
            {
                put.refuse(Refusal::new(Reason::PlanNotPuttable), true);
            }
            (Step::Hold(_), None) => put.place(b"the plan".to_vec()),
            (Step::Hold(_), Some(refusal)) => {
                let in_doubt = in_doubt || put.lease.is_repeated();
                put.refuse(refusal, in_doubt && self.flaw != Some(Flaw::NoDoubt));
            }
            (Step::Undo, _) => put.undone(),
            (Step::Redeem, _) => put.redeemed(),
            (Step::Done, _) => {}
        }
        put
    }

    fn is_safe(&self, puts: &[Put], peers: &Peers) -> bool {
        let is_kept = |(user, available): (&UserId, &Money)| {
            let own = puts.iter().filter(|put| put.user_id == *user);
            let held = own.filter_map(|put| peers.held(put.order_id));
            held.fold(available.minor(), |sum, held| sum + held.minor()) == MONEY.minor()
        };
        let is_true = |put: &Put| {
            let (held, reserved) = (
                peers.held(put.order_id),
                peers.reservations.get(&put.reservation_id),
            );
            match put.state {
                PutState::Placed => {
                    held == put.amounts.map(|amounts| amounts.paid).or(Some(AMOUNT))
                        && reserved == put.user_coupon_id.map(Coupon::Reserved).as_ref()
                }
                PutState::Refused => {
                    held.is_none() && !matches!(reserved, Some(Coupon::Reserved(_)))
                }
                PutState::Driving | PutState::Undoing => true,
            }
        };
        peers.available.iter().all(is_kept) && puts.iter().all(is_true)
    }

    fn has_ended(&self, puts: &[Put], _: &Peers) -> bool {
        puts.iter().all(|put| put.next_step() == Step::Done)
    }
}

fn put(order: u128, user: u128, coupon: Option<u128>) -> Put {
    let id = Uuid::from_u128(order);
    let user_id = UserId(Uuid::from_u128(user));
    Put {
        user_coupon_id: coupon.map(|coupon| CouponId(Uuid::from_u128(coupon))),
        lease: Lease {
            token: Uuid::nil(),
            attempts: 0,
        },
        ..Put::begin(id, user_id, OrderId(id), AMOUNT)
    }
}

fn checked(puts: &[(u128, Option<u128>)], flaw: Option<Flaw>, trouble: Trouble) -> Checked<Puts> {
    Checked {
        saga: Puts {
            each: puts.to_vec(),
            ends_last: puts.len() > 1,
            flaw,
        },
        trouble,
    }
}

const ALICE: u128 = 101;
const BOB: u128 = 102;
const COUPON: u128 = 201;

#[test]
fn a_put_ends_well_whatever_happens() {
    for coupon in [None, Some(COUPON)] {
        let moments = checked(&[(ALICE, coupon)], None, Trouble::MUCH).check();
        println!("one put, coupon {coupon:?}: {moments} moments");
    }
}

#[test]
fn two_users_put_at_once() {
    let moments = checked(&[(ALICE, Some(COUPON)), (BOB, None)], None, Trouble::SOME).check();
    println!("two users: {moments} moments");
}

#[test]
fn two_puts_want_the_same_money_and_the_same_coupon() {
    let puts = [(ALICE, Some(COUPON)), (ALICE, Some(COUPON))];
    for (ends_last, crashes) in [(false, 1), (true, 0)] {
        let mut checked = checked(
            &puts,
            None,
            Trouble {
                crashes,
                ..Trouble::SOME
            },
        );
        checked.saga.ends_last = ends_last;
        let moments = checked.check();
        println!("one user, one coupon, money for one, ends {ends_last}: {moments} moments");
    }
}

#[test]
fn broken_promises_are_found() {
    for (flaw, coupons) in [
        (Flaw::NoDoubt, [None, None]),
        (Flaw::WalletForgets, [None, None]),
        (Flaw::CouponForgets, [Some(COUPON), Some(COUPON)]),
        (Flaw::WalletRepeats, [Some(COUPON), None]),
    ] {
        let name = format!("{flaw:?}");
        let puts = coupons.map(|coupon| (ALICE, coupon));
        assert!(
            checked(
                &puts,
                Some(flaw),
                Trouble {
                    crashes: 0,
                    ..Trouble::SOME
                }
            )
            .has_counterexample(),
            "{name} was not found"
        );
    }
}
