//! The task that asks the servers.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt as _};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::{ANSWER_LIMIT, Seen, Standing, Term, ask, open};
use crate::db::servers::Servers;

/// How often the primary is asked.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// Shortest time between two heartbeats, however many statements fail.
const DOUBT_INTERVAL: Duration = Duration::from_millis(50);

/// How often all servers are asked while there is no primary.
const SEEK_INTERVAL: Duration = Duration::from_millis(100);

/// Once a primary has answered, the others get this long to say that they are a newer one.
const GRACE: Duration = Duration::from_millis(100);

/// The session that asks is renewed, so that it follows an address that moved to another server.
const SESSION_AGE_LIMIT: Duration = Duration::from_secs(10);

/// The task that asks.
pub(super) struct Asking {
    pub(super) servers: Servers,
    pub(super) standing: watch::Sender<Standing>,
    /// When the last question that is answered was asked.
    pub(super) asked: watch::Sender<Instant>,
    pub(super) doubt: Arc<Notify>,
    /// The session with the primary, and when it was opened.
    pub(super) session: Option<(PgConnection, Instant)>,
}

/// What the primary answers to a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// It is the primary, as it was.
    Primary,
    /// Something else, or its session is closed.
    Other,
    /// Nothing in time.
    Nothing,
}

impl Asking {
    pub(super) async fn run(mut self) {
        let mut has_sought = false;
        loop {
            let term = self.standing.borrow().term().cloned();
            let is_stalled = self.standing.borrow().is_stalled();
            if term.is_some() {
                tokio::time::sleep(DOUBT_INTERVAL).await;
                let rest = HEARTBEAT.saturating_sub(DOUBT_INTERVAL);
                let _ = timeout(rest, self.doubt.notified()).await;
            } else if has_sought {
                tokio::time::sleep(SEEK_INTERVAL).await;
            }
            let now = Instant::now();
            let heard = match &term {
                Some(term) if !is_stalled => self.hear(term).await,
                _ => Heard::Other,
            };
            if heard != Heard::Primary {
                self.seek(heard == Heard::Nothing).await;
            }
            has_sought = true;
            let takes_changes = {
                let standing = self.standing.borrow();
                standing.term().is_some() && !standing.is_stalled()
            };
            metrics::gauge!("db_takes_changes").set(f64::from(u8::from(takes_changes)));
            self.asked.send_replace(now);
        }
    }

    async fn hear(&mut self, term: &Term) -> Heard {
        match timeout(ANSWER_LIMIT, self.ask_primary(term.server)).await {
            // One whose commits wait for a standby may have been replaced without knowing it.
            Ok(Ok(seen)) if term.is_of(&seen) && !seen.is_stalled => Heard::Primary,
            Ok(Ok(_)) => Heard::Other,
            Ok(Err(error)) => {
                debug!(%error, "primary does not answer");
                Heard::Other
            }
            Err(_) => Heard::Nothing,
        }
    }

    async fn ask_primary(&mut self, server: usize) -> Result<Seen, sqlx::Error> {
        let kept = self.session.take();
        let (mut session, opened) = match kept {
            Some(kept) if kept.1.elapsed() < SESSION_AGE_LIMIT => kept,
            _ => (open(self.server(server)).await?, Instant::now()),
        };
        let seen = ask(&mut session).await?;
        self.session = Some((session, opened));
        Ok(seen)
    }

    fn server(&self, index: usize) -> &PgConnectOptions {
        self.servers.get(index)
    }

    /// Asks all servers, and settles what is known now. Those that answer are asked again until all
    /// have answered or are given up, so that a frozen one does not delay a promotion. Unless the
    /// primary was silent, it counts as one until it has answered.
    async fn seek(&mut self, is_silent: bool) {
        self.session = None;
        let this = &*self;
        let newest = this
            .standing
            .borrow()
            .last()
            .map_or(0, |last| last.timeline);
        let awaited = this.standing.borrow().term().map(|term| term.server);
        let mut is_lost = is_silent || awaited.is_none();
        let indices = 0..this.servers.iter().len();
        let mut answers: Answers = indices.clone().map(|_| None).collect();
        let mut unheard = answers.len();
        let mut asked: FuturesUnordered<_> = indices
            .map(|index| this.ask_after(Duration::ZERO, index, true))
            .collect();
        let mut found: Option<(u32, usize, Seen)> = None;
        let mut until = Instant::now() + ANSWER_LIMIT + GRACE;
        while let Ok(Some((index, answer, is_first))) = timeout_at(until, asked.next()).await {
            unheard -= usize::from(is_first);
            answers[index] = Some(answer);
            is_lost |= awaited == Some(index);
            let writes = answer.and_then(|seen| Some((seen.writes?, index, seen)));
            match writes.filter(|(timeline, ..)| *timeline >= newest) {
                Some(primary) => {
                    until = until.min(Instant::now() + GRACE);
                    if found.is_none_or(|(timeline, ..)| primary.0 > timeline) {
                        found = Some(primary);
                    }
                }
                None if found.is_none() => {
                    if is_lost {
                        this.lose(&answers);
                    }
                    if answer.is_some() {
                        asked.push(this.ask_after(SEEK_INTERVAL, index, false));
                    }
                }
                None => {}
            }
            if unheard == 0 {
                break;
            }
        }
        if let Some((timeline, server, seen)) = found {
            this.begin(server, timeline, &seen);
        }
    }

    /// What a server says about itself a while later.
    async fn ask_after(
        &self,
        wait: Duration,
        index: usize,
        is_first: bool,
    ) -> (usize, Option<Seen>, bool) {
        tokio::time::sleep(wait).await;
        let answer = timeout(ANSWER_LIMIT, async {
            let mut session = open(self.server(index)).await?;
            let seen = ask(&mut session).await?;
            let _ = session.close().await;
            Ok::<_, sqlx::Error>(seen)
        });
        (index, answer.await.ok().and_then(Result::ok), is_first)
    }

    /// A server is the primary: in a new term, unless it is the one that it was.
    fn begin(&self, server: usize, timeline: u32, seen: &Seen) {
        self.standing.send_modify(|standing| {
            let last = standing.last().cloned();
            let same = last
                .clone()
                .filter(|last| last.server == server && last.is_of(seen) && !last.is_over());
            let stalled_before = match standing {
                Standing::Primary { stalled_since, .. } if same.is_some() => *stalled_since,
                _ => None,
            };
            if seen.is_stalled && stalled_before.is_none() {
                warn!("commits wait for a standby, changes are paused");
            } else if !seen.is_stalled && stalled_before.is_some() {
                info!("commits are acknowledged again");
            }
            let stalled_since = seen
                .is_stalled
                .then(|| stalled_before.unwrap_or_else(Instant::now));
            let term = same.unwrap_or_else(|| self.new_term(last, (server, timeline), seen));
            *standing = Standing::Primary {
                term,
                stalled_since,
            };
        });
    }

    /// The term after `last`, which is over.
    fn new_term(&self, last: Option<Term>, (server, timeline): (usize, u32), seen: &Seen) -> Term {
        if let Some(last) = &last {
            last.over.cancel();
        }
        let term = Term {
            number: last.map_or(0, |last| last.number) + 1,
            server,
            timeline,
            started_at: seen.started_at,
            over: CancellationToken::new(),
        };
        let address = self.servers.get(server);
        info!(
            host = address.get_host(),
            port = address.get_port(),
            timeline,
            term = term.number,
            "primary found"
        );
        term
    }

    /// No server that has answered is the primary. If that of the last term says so itself, the term
    /// is over.
    fn lose(&self, answers: &Answers) {
        let answering = |server: usize| matches!(answers[server], Some(Some(_)));
        let readable = (0..answers.len()).find(|server| answering(*server));
        self.standing.send_if_modified(|standing| {
            let last = standing.last().cloned();
            if let Some(last) = &last
                && answering(last.server)
            {
                last.over.cancel();
            }
            let (since, before, was_primary) = match standing {
                Standing::None {
                    since, readable, ..
                } => (*since, *readable, false),
                Standing::Primary { .. } => {
                    warn!("there is no primary");
                    (Instant::now(), None, true)
                }
            };
            // The one that was read answers until it is known not to.
            let readable = readable.or(before.filter(|server| answers[*server].is_none()));
            *standing = Standing::None {
                since,
                last,
                readable,
            };
            was_primary || readable != before
        });
    }
}

/// What the servers have answered so far, in their order: nothing yet, or nothing in time, or what
/// they say about themselves.
type Answers = Vec<Option<Option<Seen>>>;
