//! Balances, fund details and proofs.

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::wallet::v1 as proto;
use uuid::Uuid;

use super::{Wallet, call, finance, refused};
use crate::peers::{OpenHold, Redeemed};

impl Wallet {
    pub async fn property(&self, user: Uuid) -> proto::Property {
        let request = call(&Caller::user(UserId(user)), proto::GetPropertyRequest {});
        self.users()
            .get_property(request)
            .await
            .expect("figures")
            .into_inner()
            .property
            .expect("figures")
    }

    pub async fn flow(
        &self,
        caller: &Caller,
        request: proto::ListFlowRequest,
    ) -> Result<proto::ListFlowResponse, Refusal> {
        let answer = self
            .users()
            .list_flow(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner())
    }

    /// All lines of a user, newest first, by pages.
    pub async fn all_flow(&self, user: Uuid) -> Vec<proto::FlowEntry> {
        let caller = Caller::user(UserId(user));
        let mut lines = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = Some(adfolio_proto::common::v1::PageRequest { cursor, limit: 100 });
            let answer = self
                .flow(
                    &caller,
                    proto::ListFlowRequest {
                        page,
                        ..Default::default()
                    },
                )
                .await
                .expect("a page");
            lines.extend(answer.items);
            if answer.next_cursor.is_empty() {
                return lines;
            }
            cursor = answer.next_cursor;
        }
    }

    pub async fn reconcile(&self) -> proto::ReconcileResponse {
        let request = call(&finance(), proto::ReconcileRequest {});
        self.staff()
            .reconcile(request)
            .await
            .expect("a proof")
            .into_inner()
    }

    pub async fn verify(&self, user: Option<Uuid>) -> proto::VerifyChainsResponse {
        let user_id = user.map(|id| id.to_string()).unwrap_or_default();
        let request = call(&finance(), proto::VerifyChainsRequest { user_id });
        self.staff()
            .verify_chains(request)
            .await
            .expect("a verification")
            .into_inner()
    }

    /// Lets plan and coupon say what the ledger says.
    pub async fn mirror_books(&self) {
        let holds: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT order_id, paid + discount - consumed - paid_returned - discount_returned FROM holds",
        )
        .fetch_all(&self.pool())
        .await
        .expect("holds");
        let redeemed: i64 = sqlx::query_scalar(
            "SELECT coalesce(sum(discount), 0)::bigint FROM holds WHERE state <> 'released'",
        )
        .fetch_one(&self.pool())
        .await
        .expect("coupons");
        let mut books = self.books.lock().expect("books");
        books.holds = holds
            .into_iter()
            .filter(|(_, open)| *open > 0)
            .map(|(id, open)| {
                let in_flight = false;
                (id, OpenHold { open, in_flight })
            })
            .collect();
        books.redeemed = Redeemed {
            total: redeemed,
            reserved: 0,
        };
    }

    /// Names of the checks that fail.
    pub async fn failed_checks(&self) -> Vec<String> {
        self.mirror_books().await;
        let failed = self
            .reconcile()
            .await
            .checks
            .into_iter()
            .filter(|check| !check.ok);
        failed.map(|check| check.name).collect()
    }

    /// The books balance and every chain verifies.
    pub async fn assert_books_balance(&self) {
        self.mirror_books().await;
        let failed: Vec<_> = self
            .reconcile()
            .await
            .checks
            .into_iter()
            .filter(|check| !check.ok)
            .collect();
        assert!(failed.is_empty(), "{failed:?}");
        let verified = self.verify(None).await;
        assert!(verified.broken.is_empty(), "{:?}", verified.broken);
    }
}
