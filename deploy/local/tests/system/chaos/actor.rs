//! One advertiser who goes through journey after journey, as chance has it.

use std::sync::Arc;

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio_util::sync::CancellationToken;

use super::{
    customer::{Customer, Ending, Stage},
    history::History,
};
use crate::setup::System;

const FUNDS: i64 = 100_000_000;

pub struct Actor(Customer);

impl Actor {
    /// A new advertiser.
    pub async fn prepare(system: &System, stage: &Arc<Stage>, number: usize, seed: u64) -> Self {
        let random = StdRng::seed_from_u64(seed.wrapping_add(u64::try_from(number).unwrap()));
        let name = format!("chaos-{number}");
        Self(Customer::prepare(system, stage, &name, FUNDS, (random, true)).await)
    }

    /// Goes on until told to stop, ends the journey under way, and answers what it remembers.
    pub async fn act(mut self, stop: CancellationToken) -> History {
        while !stop.is_cancelled() {
            match self.0.random.random_range(0..100) {
                0..20 => self.staff_post().await,
                20..55 => self.put().await,
                55..65 => self.put_with_coupon().await,
                65..80 => self.withdraw().await,
                80..95 => self.exchange().await,
                _ => {
                    self.0.be_charged_back_too_much().await;
                    self.0.put_as_much_as_possible().await;
                }
            }
        }
        self.0.history
    }

    /// A deposit or a chargeback.
    async fn staff_post(&mut self) {
        let amount = self.amount();
        if self.0.random.random_bool(0.7) {
            self.0.staff_post("deposit", amount).await;
        } else {
            self.0.staff_post("chargeback", -amount).await;
        }
    }

    /// A put, and what becomes of its plan: it stays, fails, or delivers and is settled.
    async fn put(&mut self) {
        let amount = 1_000 + self.amount();
        let Some(plan) = self.0.put(amount).await else {
            return;
        };
        match self.0.random.random_range(0..3) {
            0 => {}
            1 => self.0.fail(&plan).await,
            _ => {
                let spend = self.0.random.random_range(1..amount);
                let revenue = self.0.random.random_range(1..2 * amount);
                self.0.import(&plan, spend, revenue).await;
                self.0.settle(&plan, spend, revenue).await;
            }
        }
    }

    /// A put with a coupon that pays a part, which comes back or does not.
    async fn put_with_coupon(&mut self) {
        let amount = 1_000 + self.amount();
        let plan = self.0.put_with_coupon(amount).await;
        if self.0.random.random_bool(0.5) {
            self.0.fail(&plan).await;
        }
    }

    async fn withdraw(&mut self) {
        let amount = 1_000 + self.amount();
        let Some(id) = self.0.withdraw(amount).await else {
            return;
        };
        match self.0.random.random_range(0..3) {
            0 => {}
            decision => self.0.decide_withdrawal(&id, amount, decision == 1).await,
        }
    }

    /// An exchange order of either direction, to its end.
    async fn exchange(&mut self) {
        let is_outgoing = self.0.random.random_bool(0.6);
        let amount = 100 + self.0.random.random_range(0..40_000);
        let order = self.0.exchange(is_outgoing, amount).await;
        let ending = match self.0.random.random_range(0..4) {
            0..2 => Ending::Completed,
            2 => Ending::Cancelled,
            _ => Ending::CancelledByUser,
        };
        self.0.end_exchange(order, ending).await;
    }

    /// From 0.01 to 99.99.
    fn amount(&mut self) -> i64 {
        self.0.random.random_range(1..10_000)
    }
}
