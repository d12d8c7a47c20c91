//! Postings through wallet's gRPC, like those of any service.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use adfolio_local::{Service, Stack};
use adfolio_proto::wallet::v1::{HoldRequest, ledger_service_client::LedgerServiceClient};
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tonic::transport::Channel;
use uuid::Uuid;

/// The number of wallets, so large that two callers seldom meet.
const USERS: usize = 20_000;

/// The duration of each kind of posting in a round, after a warm-up of a tenth of it.
const MEASURED: Duration = Duration::from_secs(5);

/// Distinct and hot in turn; the ratio is of the means, so that a slow moment of the machine
/// affects both.
const ROUNDS: usize = 4;

#[derive(Clone, Copy)]
enum Posting {
    /// available → to be consumed: the user's own balances only.
    Distinct,
    /// The same with a coupon: every posting touches the platform's account of coupon costs, too.
    Hot,
}

/// Prints postings per second and their ratios for 16 and 128 callers.
pub async fn run(stack: &Stack, yardstick: f64) {
    let users = create_wallets(stack).await;
    for callers in [16, 128] {
        let (mut distinct, mut hot) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            distinct += rate(stack, &users, callers, Posting::Distinct).await / ROUNDS as f64;
            hot += rate(stack, &users, callers, Posting::Hot).await / ROUNDS as f64;
        }
        println!(
            "postings, {callers:>3} callers   distinct {distinct:>8.0}/s ({:.2} x pgbench)   hot {hot:>8.0}/s ({:.2} x pgbench)   hot/distinct {:.2}",
            distinct / yardstick,
            hot / yardstick,
            hot / distinct,
        );
    }
}

/// Wallets with money, made directly: opening twenty thousand accounts would measure password
/// hashing.
async fn create_wallets(stack: &Stack) -> Arc<Vec<String>> {
    let ids: Vec<Uuid> = (0..USERS).map(|_| Uuid::now_v7()).collect();
    let mut connection = PgConnection::connect(&stack.database_url(Service::Wallet))
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

async fn rate(stack: &Stack, users: &Arc<Vec<String>>, callers: usize, posting: Posting) -> f64 {
    let counted_from = Instant::now() + MEASURED / 10;
    let until = counted_from + MEASURED;
    let next_user = Arc::new(AtomicUsize::new(0));
    // Four connections: with one, the HTTP/2 connection's lock would be measured.
    let channels = join_all((0..4).map(|_| connect(stack))).await;
    let tasks = (0..callers).map(|caller| {
        let (channel, users, next_user) = (
            channels[caller % channels.len()].clone(),
            users.clone(),
            next_user.clone(),
        );
        tokio::spawn(async move {
            let mut counted = 0_usize;
            while Instant::now() < until {
                let user = &users[next_user.fetch_add(1, Ordering::Relaxed) % users.len()];
                post(&channel, user, posting).await;
                if Instant::now() > counted_from && Instant::now() < until {
                    counted += 1;
                }
            }
            counted
        })
    });
    let counted: usize = join_all(tasks).await.into_iter().map(Result::unwrap).sum();
    counted as f64 / MEASURED.as_secs_f64()
}

async fn connect(stack: &Stack) -> Channel {
    Channel::from_shared(stack.grpc_url(Service::Wallet))
        .unwrap()
        .connect()
        .await
        .unwrap()
}

async fn post(channel: &Channel, user_id: &str, posting: Posting) {
    let hold = HoldRequest {
        order_id: Uuid::now_v7().to_string(),
        user_id: user_id.to_owned(),
        paid_minor: 100,
        discount_minor: match posting {
            Posting::Distinct => 0,
            Posting::Hot => 1,
        },
    };
    LedgerServiceClient::new(channel.clone())
        .hold(hold)
        .await
        .unwrap();
}
