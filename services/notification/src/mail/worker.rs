//! Sending what is due.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::db;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::telemetry;
use chrono::TimeDelta;
use metrics::{counter, gauge};
use tracing::warn;

use super::entity::{Failure, Kept, Mail, State, Undelivered};
use super::link::LinkToken;
use super::{Mailer, repo};
use crate::app::App;
use crate::error::NotificationError;
use crate::lang::Lang;
use crate::outgoing;

/// How often is looked for mail that is due.
const INTERVAL: Duration = Duration::from_secs(1);

/// Mails that a replica sends at the same time, and takes at once: what it takes it begins with, so that a shutdown
/// leaves nothing under a lease.
pub const AT_ONCE: u32 = 4;

/// The longest that one mail takes, with everything.
const MAIL_LIMIT: Duration = Duration::from_secs(40);

/// Another replica takes a mail over after this: much later than the one that took it gives up.
const LEASE: TimeDelta = TimeDelta::minutes(3);

/// Mails that one user is sent within a day at most.
const MOST_A_DAY: i64 = 50;

/// Counts an outcome; also called with nothing to count, so that the first one shows as an increase.
pub fn count(outcome: &'static str, by: u64) {
    counter!("notification_mails_total", "outcome" => outcome).increment(by);
}

/// The outcomes that are counted.
pub const OUTCOMES: [&str; 4] = ["sent", "retried", "dead", "skipped"];

/// Sends until the shutdown. What is being sent then is sent to its end, unless the limit of draining comes first.
pub async fn run(app: App, mailer: Mailer, shutdown: Shutdown) {
    while shutdown.sleep(INTERVAL).await {
        let send = |(mail, token)| send(&app, &mailer, mail, token);
        let claim = || claim(&app, &mailer);
        let round = outgoing::send_in_rounds(&shutdown, AT_ONCE, claim, send);
        if let Err(error) = telemetry::run("mail", round).await {
            warn!(%error, "mail cannot be read or written");
        }
    }
}

/// Takes what is due. The link of each is stored before its mail can leave.
async fn claim(
    app: &App,
    mailer: &Mailer,
) -> Result<Vec<(Mail, Option<LinkToken>)>, NotificationError> {
    let now = app.clock.now();
    let lease_until = now.checked_add_signed(LEASE).unwrap_or(now);
    let letters = Arc::clone(&mailer.letters);
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mails = repo::claim_in_tx(tx, now, lease_until, AT_ONCE.into()).await?;
            let with_token = |mail: Mail| {
                let token = letters.new_token(&mail);
                (mail, token)
            };
            let claimed: Vec<_> = mails.into_iter().map(with_token).collect();
            let link = |(mail, token): &(Mail, Option<LinkToken>)| {
                token.as_ref().map(|token| (mail.id, token.digest()))
            };
            let links: Vec<_> = claimed.iter().filter_map(link).collect();
            if !links.is_empty() {
                repo::add_links_in_tx(tx, &links, now).await?;
            }
            Ok(claimed)
        })
    })
    .await
}

/// Sends one mail and writes what became of it.
async fn send(
    app: &App,
    mailer: &Mailer,
    mail: Mail,
    token: Option<LinkToken>,
) -> Result<(), NotificationError> {
    let delivery = deliver(app, mailer, &mail, token.as_ref());
    let attempt = tokio::time::timeout(MAIL_LIMIT, delivery).await;
    let outcome = attempt.unwrap_or(Err(Undelivered::Again(Failure::TimedOut)));
    let now = app.clock.now();
    let mail = match outcome {
        Ok(lang) => mail.sent(lang, now),
        Err(why) => mail.undelivered(why, now),
    };
    let outcome = match mail.state {
        State::Pending => "retried",
        State::Sent => "sent",
        State::Dead => "dead",
        State::Skipped => "skipped",
    };
    if mail.state == State::Dead {
        let failure = mail.last_error.as_deref().unwrap_or_default();
        warn!(id = %mail.id, failure, attempts = mail.attempts, "mail is given up");
    }
    db::write(&app.pool, move |tx| {
        Box::pin(async move { repo::save_in_tx(tx, &mail).await })
    })
    .await?;
    count(outcome, 1);
    Ok(())
}

/// Asks for the address, writes the letter and sends it; answers its language.
async fn deliver(
    app: &App,
    mailer: &Mailer,
    mail: &Mail,
    token: Option<&LinkToken>,
) -> Result<Lang, Undelivered> {
    let has_code = mail.kept.and_then(Kept::email_code).is_some();
    if !has_code && has_enough(app, mail).await? {
        return Err(Undelivered::Skip(Failure::TooMany));
    }
    let recipient = app.directory.recipient(mail.user, mail.kept).await;
    let recipient = recipient.map_err(|error| match error.refusal() {
        Some(_) if has_code => Undelivered::Skip(Failure::CodeExpired),
        // An unknown user, or an address of before that is not kept any more.
        Some(_) => Undelivered::Skip(Failure::NoAddress),
        None => Undelivered::Again(Failure::AuthUnavailable),
    })?;
    if recipient.email.is_empty() {
        return Err(Undelivered::Skip(Failure::NoAddress));
    }
    // A replica of auth that knows no codes has answered.
    if has_code && recipient.email_code.is_none() {
        return Err(Undelivered::Again(Failure::AuthUnavailable));
    }
    let lang = Lang::of_caller(&recipient.lang);
    let now = app.clock.now();
    let letter = mailer
        .letters
        .write((mail, token), &app.catalogues, &recipient, lang, now);
    let letter = letter.map_err(Undelivered::Never)?;
    mailer.transport.send(mail.id, letter).await?;
    Ok(lang)
}

/// Whether the user was sent as many within the last day as one gets: an address may be somebody else's, and changes of a
/// profile must not fill that person's mailbox.
async fn has_enough(app: &App, mail: &Mail) -> Result<bool, Undelivered> {
    let since = app.clock.now().checked_sub_signed(TimeDelta::days(1));
    let oldest = repo::sent_before(&app.pool, mail.user, MOST_A_DAY - 1).await;
    let oldest = oldest.map_err(|error| {
        warn!(%error, "mail cannot be counted");
        Undelivered::Again(Failure::DatabaseFailed)
    })?;
    Ok(oldest
        .zip(since)
        .is_some_and(|(oldest, since)| oldest > since))
}

/// Sets the gauges of the backlog. Every replica measures the same table.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub async fn measure(app: App) -> Result<(), NotificationError> {
    let backlog = repo::backlog(&app.pool).await?;
    let age = outgoing::age_seconds(app.clock.now(), backlog.oldest);
    gauge!("notification_mails", "state" => "pending").set(backlog.pending as f64);
    gauge!("notification_mails", "state" => "dead").set(backlog.dead as f64);
    gauge!("notification_mail_oldest_seconds").set(age);
    Ok(())
}

/// Deletes batch by batch until nothing is left or enough was done for one run.
pub async fn prune(app: App) -> Result<(), NotificationError> {
    outgoing::prune_in_rounds(|| super::prune(&app)).await
}
