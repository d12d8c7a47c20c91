//! Samples the books every second, from outside of all services.

use std::{fmt, time::Duration};

use sqlx::{Connection as _, PgConnection};
use tokio_util::sync::CancellationToken;

/// Pause between two samples.
const INTERVAL: Duration = Duration::from_secs(1);

/// A sample that takes longer is given up: the server is down or frozen.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// One statement reads one snapshot: transactions whose entries do not sum to zero, wallets that
/// are not the sum of their entries or whose numbers have a gap, and negative balances.
const DIFFERENCES: &str = "
    WITH sums AS (
        SELECT user_id,
               coalesce(sum(amount) FILTER (WHERE account = 'available'), 0) AS available,
               coalesce(sum(amount) FILTER (WHERE account = 'to_be_consumed'), 0) AS to_be_consumed,
               coalesce(sum(amount) FILTER (WHERE account = 'to_be_settled'), 0) AS to_be_settled,
               coalesce(sum(amount) FILTER (WHERE account = 'withdrawing'), 0) AS withdrawing,
               coalesce(sum(amount) FILTER (WHERE account = 'guarantee'), 0) AS guarantee
        FROM entries GROUP BY user_id
    ), numbers AS (
        SELECT user_id, count(*) AS count, max(seq) AS last FROM transactions GROUP BY user_id
    )
    SELECT (SELECT count(*) FROM (SELECT FROM entries GROUP BY user_id, seq HAVING sum(amount) <> 0) AS t)
         + (SELECT count(*) FROM wallets w LEFT JOIN sums s USING (user_id) LEFT JOIN numbers n USING (user_id)
            WHERE (w.available, w.to_be_consumed, w.to_be_settled, w.withdrawing, w.guarantee)
                  IS DISTINCT FROM (coalesce(s.available, 0), coalesce(s.to_be_consumed, 0), coalesce(s.to_be_settled, 0),
                                    coalesce(s.withdrawing, 0), coalesce(s.guarantee, 0))
               OR w.seq <> coalesce(n.count, 0) OR w.seq <> coalesce(n.last, 0)
               OR least(w.available, w.to_be_consumed, w.to_be_settled, w.withdrawing, w.guarantee) < 0),
           (SELECT count(*) FROM transactions),
           (SELECT count(*) FROM entries)";

/// The result of the samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    /// Samples in which the books balanced.
    pub balanced: usize,
    /// Samples in which they did not.
    pub unbalanced: usize,
    /// Samples that failed because PostgreSQL was down.
    pub blind: usize,
    /// Transactions in the last sample.
    pub transactions: i64,
    /// Their entries.
    pub entries: i64,
}

impl fmt::Display for Watched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "books of {} transactions and {} entries balanced at {} looks, off at {}, not readable at {}",
            self.transactions, self.entries, self.balanced, self.unbalanced, self.blind
        )
    }
}

/// Samples every second until stopped. `base_url` is PostgreSQL's URL for an account that may read
/// everything.
pub async fn watch(base_url: String, stop: CancellationToken) -> Watched {
    let mut watched = Watched::default();
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut connection = None;
    while !stop.is_cancelled() {
        ticks.tick().await;
        let looked = tokio::time::timeout(LOOK_LIMIT, look(&base_url, &mut connection)).await;
        let Ok(Ok((differences, transactions, entries))) = looked else {
            connection = None;
            watched.blind += 1;
            continue;
        };
        watched.transactions = transactions;
        watched.entries = entries;
        if differences == 0 {
            watched.balanced += 1;
        } else {
            println!("the books are off in {differences} places");
            watched.unbalanced += 1;
        }
    }
    watched
}

/// Differences, and transactions and entries in all.
async fn look(
    base_url: &str,
    kept: &mut Option<PgConnection>,
) -> Result<(i64, i64, i64), sqlx::Error> {
    let mut connection = match kept.take() {
        Some(connection) => connection,
        None => PgConnection::connect(&database(base_url, "wallet")).await?,
    };
    let seen = sqlx::query_as(DIFFERENCES)
        .fetch_one(&mut connection)
        .await?;
    *kept = Some(connection);
    Ok(seen)
}

/// URL of a service's database for the account of `base_url`.
pub fn database(base_url: &str, service: &str) -> String {
    let mut url: url::Url = base_url.parse().unwrap();
    url.set_path(&format!("adfolio_{service}"));
    url.to_string()
}
