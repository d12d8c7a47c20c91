//! `adfolioctl dead`.

use std::process::ExitCode;

use adfolio_kit::broker::Broker;
use adfolio_kit::config::BrokerArgs;
use adfolio_kit::consumer::CONSUMERS;
use adfolio_kit::dead_letter;
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};

use crate::output::{complain, say, table};

/// Dead letters: events that a consumer could not process
#[derive(Args, Debug)]
pub struct DeadArgs {
    #[command(flatten)]
    broker: BrokerArgs,
    #[command(subcommand)]
    command: DeadCommand,
}

#[derive(Debug, Subcommand)]
enum DeadCommand {
    /// Counts the dead letters of each consumer, or lists those of one
    List {
        /// The consumer, for example notification.inbox; all are counted without it
        queue: Option<String>,
        /// Show at most this many
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
        max: u32,
    },
    /// Sends dead letters back to their consumer
    Redrive {
        /// The consumer, for example notification.inbox
        queue: String,
        /// Send at most this many
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1000))]
        max: u32,
    },
}

impl DeadArgs {
    /// Runs the command.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let broker = Broker::new(&self.broker)?;
        let namespace = &self.broker.amqp_namespace;
        match self.command {
            DeadCommand::List { queue: None, .. } => count(&broker).await?,
            DeadCommand::List {
                queue: Some(queue),
                max,
            } => list(&broker, &parse(&queue, namespace)?, max).await?,
            DeadCommand::Redrive { queue, max } => {
                let (service, consumer) = parse(&queue, namespace)?;
                let moved = dead_letter::redrive(&broker, &service, &consumer, max)
                    .await
                    .context("cannot redrive")?;
                say(&format!("sent {moved} back to {service}.{consumer}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A consumer that never ran has no queue. If no consumer has one, the broker is not reachable.
async fn count(broker: &Broker) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut problem = None;
    for (service, consumer) in CONSUMERS {
        let name = format!("{service}.{consumer}");
        match dead_letter::count(broker, service, consumer).await {
            Ok(waiting) => rows.push(vec![name, waiting.to_string()]),
            Err(error) => {
                problem = Some(
                    anyhow::Error::new(error).context(format!("cannot count those of {name}")),
                );
            }
        }
    }
    match problem {
        Some(problem) if rows.is_empty() => return Err(problem),
        Some(problem) => complain(&format!("{problem:#}")),
        None => {}
    }
    table(&["CONSUMER", "DEAD"], &rows);
    Ok(())
}

async fn list(
    broker: &Broker,
    (service, consumer): &(String, String),
    max: u32,
) -> anyhow::Result<()> {
    let letters = dead_letter::list(broker, service, consumer, max)
        .await
        .context("cannot list")?;
    let row = |letter: &dead_letter::DeadLetter| {
        let id = letter.event_id.map(|id| id.to_string()).unwrap_or_default();
        let time = letter
            .time
            .map(|time| time.to_rfc3339())
            .unwrap_or_default();
        vec![time, id, letter.event_type.clone(), letter.subject.clone()]
    };
    let rows: Vec<Vec<String>> = letters.iter().map(row).collect();
    table(&["TIME", "EVENT", "TYPE", "SUBJECT"], &rows);
    Ok(())
}

/// Parses `service.consumer`, with or without the namespace as prefix and a queue's suffix: its generation or that of
/// the dead letters.
fn parse(queue: &str, namespace: &str) -> anyhow::Result<(String, String)> {
    let name = queue
        .strip_prefix(namespace)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(queue);
    let name = name.strip_suffix(".dead").unwrap_or(name);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match name.rsplit_once('.') {
        Some((name, generation)) if is_number(generation) => name,
        _ => name,
    };
    match name.split_once('.') {
        Some((service, consumer)) if !service.is_empty() && !consumer.is_empty() => {
            Ok((service.to_owned(), consumer.to_owned()))
        }
        _ => {
            bail!("{queue} names no consumer: say service.consumer, for example notification.inbox")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_named_in_every_usual_way() {
        let expected = ("notification".to_owned(), "inbox".to_owned());
        for name in [
            "notification.inbox",
            "adfolio.notification.inbox",
            "adfolio.notification.inbox.2",
            "adfolio.notification.inbox.dead",
        ] {
            assert_eq!(
                parse(name, "adfolio").ok(),
                Some(expected.clone()),
                "{name}"
            );
        }
        assert!(parse("notification", "adfolio").is_err());
    }
}
