//! A token revoked at one gateway is invalid at the others: by message within milliseconds, and
//! without one within the second for which a gateway caches sessions. `REVOCATION_ROUNDS` (5) is
//! the number of measurements of each kind.

use std::time::Duration;

use adfolio_local::{Component, Signal};
use adfolio_testkit::WAIT_LIMIT;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::{
    client::{Client, Reply},
    replica::Replica,
    setup::{Advertiser, PASSWORD, System},
};

/// The guaranteed limit, even if the message is lost.
const LIMIT: Duration = Duration::from_secs(1);

/// Pause between two calls with a revoked token.
const PAUSE: Duration = Duration::from_millis(2);

const OTHER_PASSWORD: &str = "seven quiet lighthouses";

/// How a token is revoked.
#[derive(Clone, Copy, Debug)]
enum End {
    Logout,
    PasswordChange,
    EndedByOwner,
    AllOthersEndedByOwner,
    DisabledByStaff,
    LogoutOfStaff,
}

impl End {
    const ALL: [Self; 6] = [
        Self::Logout,
        Self::PasswordChange,
        Self::EndedByOwner,
        Self::AllOthersEndedByOwner,
        Self::DisabledByStaff,
        Self::LogoutOfStaff,
    ];
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_ended_at_one_gateway_is_dead_at_the_others() {
    let rounds = std::env::var("REVOCATION_ROUNDS").map_or(5, |text| text.parse().unwrap());
    let system = System::start().await;
    // One caches longer than a test waits, so that it can only learn by message; the other has the
    // default.
    let patient = [("SESSION_CACHE_SECONDS", "60")];
    let by_message = Replica::start(&system.stack, "by-message", &patient).await;
    let usual = Replica::start(&system.stack, "usual", &[]).await;
    for end in End::ALL {
        let user = system.advertiser(&format!("{end:?}")).await;
        let (mut by_messages, mut as_usual) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let token = Ending::begin(&system, &user, end, round).await;
            token.use_at(&by_message).await;
            token.use_at(&usual).await;
            let ended = token.end().await;
            let (message, dead) = tokio::join!(
                token.until_dead(&by_message, ended, None),
                token.until_dead(&usual, ended, Some(LIMIT)),
            );
            by_messages.push(message);
            as_usual.push(dead);
            token.clear_up().await;
        }
        println!(
            "{end:?}: dead elsewhere after {}; by message alone after {}",
            times(as_usual),
            times(by_messages)
        );
    }

    system
        .stack
        .kill(Component::Rabbitmq, Signal::SIGSTOP)
        .await
        .unwrap();
    for end in End::ALL {
        let user = system.advertiser(&format!("frozen-{end:?}")).await;
        let mut dead = Vec::new();
        for round in 0..rounds {
            let token = Ending::begin(&system, &user, end, round).await;
            token.use_at(&usual).await;
            let ended = token.end().await;
            dead.push(token.until_dead(&usual, ended, Some(LIMIT)).await);
            token.clear_up().await;
        }
        println!(
            "{end:?}, RabbitMQ frozen: dead elsewhere after {}",
            times(dead)
        );
    }
    system
        .stack
        .kill(Component::Rabbitmq, Signal::SIGCONT)
        .await
        .unwrap();
    drop((by_message, usual));
    system.stack.stop().await;
}

/// A token that will be revoked.
struct Ending<'a> {
    system: &'a System,
    user: &'a Advertiser,
    end: End,
    /// Alternates between rounds.
    passwords: [&'static str; 2],
    token: String,
}

impl<'a> Ending<'a> {
    /// Opens the session that will be revoked.
    async fn begin(system: &'a System, user: &'a Advertiser, end: End, round: usize) -> Self {
        let mut passwords = [PASSWORD, OTHER_PASSWORD];
        if round % 2 == 1 && matches!(end, End::PasswordChange) {
            passwords.reverse();
        }
        let (path, login) = match end {
            End::LogoutOfStaff => (
                "/admin/login",
                json!({"username": "admin", "password": "adfolio-admin"}),
            ),
            _ => (
                "/auth/v2/login",
                json!({"username": user.username, "password": passwords[0]}),
            ),
        };
        let session = system.anyone.post(path, login).await.ok();
        Self {
            system,
            user,
            end,
            passwords,
            token: session["token"].as_str().unwrap().to_owned(),
        }
    }

    async fn ask(&self, client: &Client) -> Reply {
        let client = client.with_token(&self.token);
        match self.end {
            End::LogoutOfStaff => client.get("/admin/staff/list").await,
            _ => client.get("/user/property").await,
        }
    }

    /// From now on that gateway caches the token.
    async fn use_at(&self, gateway: &Replica) {
        self.ask(&gateway.anyone).await.ok();
    }

    /// Revokes the session at the stack's own gateway; returns when that was confirmed.
    async fn end(&self) -> Instant {
        let own = self.system.anyone.with_token(&self.token);
        let (keeper, admin) = (&self.user.client, &self.system.admin);
        let reply = match self.end {
            End::Logout => own.post("/auth/logout", json!({})).await,
            End::PasswordChange => {
                let change = json!({
                    "old_password": self.passwords[0], "new_password": self.passwords[1],
                    "confirm_password": self.passwords[1],
                });
                own.post("/update/password", change).await
            }
            End::EndedByOwner => {
                let body = json!({"id": self.current_session(&own).await});
                keeper.post("/user/sessions/end", body).await
            }
            End::AllOthersEndedByOwner => {
                let body = json!({"others": true});
                keeper.post("/user/sessions/end", body).await
            }
            End::DisabledByStaff => {
                admin
                    .post("/admin/user/state", self.state("disabled"))
                    .await
            }
            End::LogoutOfStaff => own.post("/admin/logout", json!({})).await,
        };
        reply.ok();
        Instant::now()
    }

    async fn current_session(&self, own: &Client) -> Value {
        let sessions = own.get("/user/sessions").await.ok();
        let mut items = sessions["items"].as_array().unwrap().iter();
        items.find(|item| item["current"] == true).unwrap()["id"].clone()
    }

    fn state(&self, state: &str) -> Value {
        json!({"id": self.user.id, "state": state, "reason": "test"})
    }

    /// Uses the token at a gateway until it is refused; returns how long after the revocation. A
    /// call that began later than the limit must not succeed.
    async fn until_dead(
        &self,
        gateway: &Replica,
        ended: Instant,
        limit: Option<Duration>,
    ) -> Duration {
        let dead = timeout(WAIT_LIMIT, async {
            loop {
                let began = Instant::now();
                let reply = self.ask(&gateway.anyone).await;
                if ["SESSION_EXPIRED", "ACCOUNT_DISABLED"].contains(&reply.reason()) {
                    return ended.elapsed();
                }
                assert!(
                    limit.is_none_or(|limit| began < ended + limit),
                    "{:?}: a call {:?} after the end was answered",
                    self.end,
                    began - ended
                );
                reply.ok();
                sleep(PAUSE).await;
            }
        });
        dead.await
            .unwrap_or_else(|_| panic!("{:?}: alive after {WAIT_LIMIT:?}", self.end))
    }

    /// Prepares the next round.
    async fn clear_up(&self) {
        if matches!(self.end, End::DisabledByStaff) {
            let active = self.state("active");
            self.system
                .admin
                .post("/admin/user/state", active)
                .await
                .ok();
        }
    }
}

/// Median and worst.
fn times(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    format!(
        "{} ms (median of {}, worst {} ms)",
        median.as_millis(),
        times.len(),
        worst.as_millis()
    )
}
