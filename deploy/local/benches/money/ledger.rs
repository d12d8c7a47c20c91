//! Postings through wallet's gRPC, like those of any service.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adfolio_local::{Service, Stack};
use adfolio_proto::wallet::v1::{HoldRequest, ledger_service_client::LedgerServiceClient};
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tonic::transport::Channel;
use uuid::Uuid;

use crate::callers::{self, Call};
use crate::rounds::Measurement;

/// The number of wallets, so large that two callers seldom meet.
const USERS: usize = 20_000;

/// With one connection, its lock would be measured.
const CONNECTIONS: usize = 4;

#[derive(Clone, Copy)]
enum Posting {
    /// available → to be consumed: the user's own balances only.
    Distinct,
    /// The same with a coupon: every posting touches the platform's account of coupon costs, too.
    Hot,
}

/// Postings by 16 and by 128 callers.
pub async fn prepare(stack: &Stack) -> Vec<Measurement> {
    let users = create_wallets(stack).await;
    let channels = join_all((0..CONNECTIONS).map(|_| connect(stack))).await;
    let next_user = Arc::new(AtomicUsize::new(0));
    let measurements = [
        ("postings_distinct_16", 16, Posting::Distinct),
        ("postings_hot_16", 16, Posting::Hot),
        ("postings_distinct_128", 128, Posting::Distinct),
        ("postings_hot_128", 128, Posting::Hot),
    ];
    measurements
        .map(|(name, count, posting)| {
            let callers: Vec<Channel> = channels.iter().cycle().take(count).cloned().collect();
            let (users, next_user) = (users.clone(), next_user.clone());
            let call: Call<Channel> = Arc::new(move |channel, _| {
                let turn = next_user.fetch_add(1, Ordering::Relaxed);
                let user = users[turn % users.len()].clone();
                Box::pin(post(channel, user, posting))
            });
            Measurement::new(name, move |duration| {
                let (callers, call) = (callers.clone(), call.clone());
                Box::pin(async move { callers::saturate(&callers, duration, &call).await })
            })
        })
        .into()
}

/// Wallets with money, made directly: opening twenty thousand accounts would measure password
/// hashing.
async fn create_wallets(stack: &Stack) -> Arc<Vec<String>> {
    let ids: Vec<Uuid> = (0..USERS).map(|_| Uuid::now_v7()).collect();
    let mut connection = PgConnection::connect(&stack.database_superuser_url(Service::Wallet))
        .await
        .unwrap();
    sqlx::query("INSERT INTO wallets (user_id, available) SELECT id, 1000000000000 FROM unnest($1::uuid[]) AS id")
        .bind(&ids)
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::query("VACUUM ANALYZE wallets")
        .execute(&mut connection)
        .await
        .unwrap();
    Arc::new(ids.iter().map(Uuid::to_string).collect())
}

async fn connect(stack: &Stack) -> Channel {
    Channel::from_shared(stack.grpc_url(Service::Wallet))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

async fn post(channel: Channel, user_id: String, posting: Posting) {
    let hold = HoldRequest {
        order_id: Uuid::now_v7().to_string(),
        user_id,
        paid_minor: 100,
        discount_minor: match posting {
            Posting::Distinct => 0,
            Posting::Hot => 1,
        },
    };
    LedgerServiceClient::new(channel).hold(hold).await.unwrap();
}
