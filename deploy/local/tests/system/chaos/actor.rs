//! An advertiser who makes journey after journey at random.

use std::{sync::Arc, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    customer::{Customer, Ending, Stage},
    history::History,
};
use crate::setup::System;

const FUNDS: i64 = 100_000_000;

pub struct Actor {
    customer: Customer,
    pause: Duration,
}

impl Actor {
    /// A new advertiser.
    pub async fn prepare(system: &System, stage: &Arc<Stage>, number: usize, seed: u64) -> Self {
        let random = StdRng::seed_from_u64(seed.wrapping_add(u64::try_from(number).unwrap()));
        let name = format!("chaos-{number}");
        Self {
            customer: Customer::prepare(system, stage, &name, FUNDS, (random, stage.is_restless))
                .await,
            pause: stage.pause,
        }
    }

    /// Continues until stopped, finishes the present journey, and returns its memory.
    pub async fn act(mut self, stop: CancellationToken) -> History {
        while !stop.is_cancelled() {
            match self.customer.random.random_range(0..100) {
                0..20 => self.staff_post().await,
                20..55 => self.put().await,
                55..65 => self.put_with_coupon().await,
                65..80 => self.withdraw().await,
                80..95 => self.exchange().await,
                _ => {
                    self.customer.be_charged_back_too_much().await;
                    self.customer.put_as_much_as_possible().await;
                }
            }
            let _ = timeout(self.pause, stop.cancelled()).await;
        }
        self.customer.history
    }

    /// A deposit or a chargeback.
    async fn staff_post(&mut self) {
        let amount = self.amount();
        if self.customer.random.random_bool(0.7) {
            self.customer.staff_post("deposit", amount).await;
        } else {
            self.customer.staff_post("chargeback", -amount).await;
        }
    }

    /// A put and its plan: it stays, fails, or delivers and is settled.
    async fn put(&mut self) {
        let amount = 1_000 + self.amount();
        let Some(plan) = self.customer.put(amount).await else {
            return;
        };
        match self.customer.random.random_range(0..3) {
            0 => {}
            1 => self.customer.fail(&plan).await,
            _ => {
                let spend = self.customer.random.random_range(1..amount);
                let most = self.customer.most_revenue(amount, spend);
                let revenue = self.customer.random.random_range(1..=most);
                self.customer.import(&plan, spend, revenue).await;
                self.customer.settle(&plan, spend, revenue).await;
            }
        }
    }

    /// A put with a coupon that pays a part, which is returned or not.
    async fn put_with_coupon(&mut self) {
        let amount = 1_000 + self.amount();
        let plan = if self.customer.random.random_bool(0.7) {
            self.customer.put_with_coupon(amount).await
        } else {
            self.customer.put_twice_with_a_coupon(amount).await
        };
        if self.customer.random.random_bool(0.5) {
            self.customer.fail(&plan).await;
        }
    }

    async fn withdraw(&mut self) {
        let amount = 1_000 + self.amount();
        let Some(id) = self.customer.withdraw(amount).await else {
            return;
        };
        match self.customer.random.random_range(0..3) {
            0 => {}
            decision => {
                self.customer
                    .decide_withdrawal(&id, amount, decision == 1)
                    .await;
            }
        }
    }

    /// An exchange order of either direction, to its end.
    async fn exchange(&mut self) {
        let is_outgoing = self.customer.random.random_bool(0.6);
        let amount = 100 + self.customer.random.random_range(0..40_000);
        let order = self.customer.exchange(is_outgoing, amount).await;
        let ending = match self.customer.random.random_range(0..5) {
            0..2 => Ending::Completed,
            2 => Ending::Cancelled,
            3 => Ending::CancelledByUser,
            _ => return self.customer.decide_twice(order).await,
        };
        self.customer.end_exchange(order, ending).await;
    }

    /// From 0.01 to 99.99.
    fn amount(&mut self) -> i64 {
        self.customer.random.random_range(1..10_000)
    }
}
