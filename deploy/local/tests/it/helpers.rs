//! Observing processes from outside.

use std::fs;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

/// Far longer than the slowest restart.
const EVENTUALLY_LIMIT: Duration = Duration::from_mins(1);
const EVENTUALLY_POLL: Duration = Duration::from_millis(50);

/// Waits until a condition holds.
pub async fn eventually<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    let holds = async {
        while !condition().await {
            sleep(EVENTUALLY_POLL).await;
        }
    };
    timeout(EVENTUALLY_LIMIT, holds)
        .await
        .unwrap_or_else(|_| panic!("not within {EVENTUALLY_LIMIT:?}: {what}"));
}

/// Whether PostgreSQL answers a query there.
pub async fn answers_query(url: &str) -> bool {
    let Ok(mut connection) = PgConnection::connect(url).await else {
        return false;
    };
    let answer: Result<i32, _> = sqlx::query_scalar("SELECT 1")
        .fetch_one(&mut connection)
        .await;
    answer.is_ok()
}

/// Every living process that was started for, works in, or was given a path below a folder.
pub fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let own = std::process::id().to_string();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && *pid != own)
        .filter_map(|pid| {
            let process = Path::new("/proc").join(&pid);
            let text = |file: &str| {
                let bytes = fs::read(process.join(file)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).replace('\0', " ")
            };
            let works_in = fs::read_link(process.join("cwd")).unwrap_or_default();
            let concerned = text("environ").contains(folder)
                || text("cmdline").contains(folder)
                || works_in.starts_with(folder);
            let state = text("stat");
            let dead = state
                .rsplit(')')
                .next()
                .is_some_and(|rest| rest.starts_with(" Z"));
            (concerned && !dead).then(|| format!("{pid} {}", text("cmdline")))
        })
        .collect()
}

/// Waits until no process of the folder is left.
pub async fn assert_nothing_left(folder: &Path) {
    eventually(&format!("no process of {}", folder.display()), || async {
        processes_of(folder).is_empty()
    })
    .await;
}
