//! `adfolioctl broker`: on which nodes of RabbitMQ queues and streams are.
//!
//! RabbitMQ gives a queue its members when it is declared, one on each of up to three nodes. A queue that is older than
//! a node has none there until somebody adds it. RabbitMQ's own programs do that, because its API does not for streams.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, Subcommand};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::{Instant, sleep, timeout};

use crate::output::{Format, Row, complain, say};

/// Limit of one run of a program. A new member of a long queue is there at once, and fetches the queue later.
const TOOL_LIMIT: Duration = Duration::from_mins(1);

/// How long new members may take to be online.
const ONLINE_LIMIT: Duration = Duration::from_mins(5);

const ONLINE_POLL: Duration = Duration::from_secs(1);

/// How long a list of queues is tried again: it fails while members change.
const LIST_LIMIT: Duration = Duration::from_secs(15);

/// Members of queues and streams on the nodes of RabbitMQ
#[derive(Args, Debug)]
pub struct BrokerCommand {
    #[command(flatten)]
    tools: Tools,
    #[command(subcommand)]
    command: MembersCommand,
}

#[derive(Debug, Subcommand)]
enum MembersCommand {
    /// Lists queues and streams with their leaders and members; exits with 1 if one lacks a member
    Members {
        #[command(flatten)]
        wanted: Wanted,
        #[command(flatten)]
        format: Format,
    },
    /// Gives every queue and stream its members, and balances the leaders
    Grow {
        #[command(flatten)]
        wanted: Wanted,
        /// Node whose data are lost, even if it has come back empty under its name: its members are replaced
        #[arg(long)]
        lost: Option<String>,
    },
}

#[derive(Args, Clone, Copy, Debug)]
struct Wanted {
    /// Members that a queue has, as far as there are nodes
    #[arg(long = "size", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=7))]
    size: u8,
}

impl Wanted {
    fn among(self, nodes: &[String]) -> usize {
        usize::from(self.size).min(nodes.len())
    }
}

/// RabbitMQ's programs, which work on a node or as its account
#[derive(Args, Debug)]
struct Tools {
    /// Command that runs them elsewhere, like "kubectl -n adfolio exec rabbitmq-server-0 -c rabbitmq --"
    #[arg(long, global = true)]
    through: Option<String>,
    /// Folder with the programs, if they are not in PATH
    #[arg(long, global = true)]
    programs: Option<PathBuf>,
    /// Node to ask, like rabbit@host; the programs' own without it
    #[arg(long, global = true)]
    node: Option<String>,
    /// Virtual host
    #[arg(long, global = true, default_value = "/")]
    vhost: String,
}

/// A queue or stream.
#[derive(Debug, Deserialize)]
struct Queue {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    leader: String,
    #[serde(deserialize_with = "nodes")]
    members: Vec<String>,
    #[serde(deserialize_with = "nodes")]
    online: Vec<String>,
}

/// Nodes; of a queue without members an empty text stands there.
fn nodes<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    match Value::deserialize(value)? {
        Value::Array(nodes) => nodes
            .into_iter()
            .map(|node| serde_json::from_value(node).map_err(serde::de::Error::custom))
            .collect(),
        _ => Ok(Vec::new()),
    }
}

impl Queue {
    fn is_replicated(&self) -> bool {
        matches!(self.kind.as_str(), "quorum" | "stream")
    }

    fn row(&self) -> Row {
        vec![
            ("queue", json!(self.name)),
            ("type", json!(self.kind)),
            ("leader", json!(self.leader)),
            ("members", json!(self.members.join(" "))),
            ("online", json!(self.online.join(" "))),
        ]
    }
}

impl BrokerCommand {
    /// Runs the command.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            MembersCommand::Members { wanted, format } => {
                let nodes = self.tools.running_nodes().await?;
                let queues = self.tools.replicated_queues().await?;
                format.list(queues.iter().map(Queue::row).collect());
                let lacking = lacking(&queues, wanted.among(&nodes));
                for name in &lacking {
                    complain(&format!("{name} lacks a member"));
                }
                Ok(exit_code(lacking.is_empty()))
            }
            MembersCommand::Grow { wanted, lost } => {
                let forgotten = match &lost {
                    Some(node) => self.tools.remove_members(node).await?,
                    None => true,
                };
                let grown = self.tools.grow(wanted).await?;
                Ok(exit_code(forgotten && grown))
            }
        }
    }
}

fn exit_code(is_good: bool) -> ExitCode {
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Queues with fewer online members than these.
fn lacking(queues: &[Queue], wanted: usize) -> Vec<&str> {
    queues
        .iter()
        .filter(|queue| queue.online.len() < wanted)
        .map(|queue| queue.name.as_str())
        .collect()
}

/// A member that a queue lacks: the place of the queue in the list, and the node.
type Missing = (usize, String);

/// The members that queues lack, each on a running node that has the fewest so far.
fn missing(queues: &[Queue], nodes: &[String], wanted: usize) -> Vec<Missing> {
    let mut load: BTreeMap<&str, usize> = nodes.iter().map(|node| (node.as_str(), 0)).collect();
    for member in queues.iter().flat_map(|queue| &queue.members) {
        if let Some(count) = load.get_mut(member.as_str()) {
            *count = count.saturating_add(1);
        }
    }
    let mut missing = Vec::new();
    for (place, queue) in queues.iter().enumerate() {
        let mut members: Vec<&str> = queue.members.iter().map(String::as_str).collect();
        while members.len() < wanted {
            let free = load
                .iter_mut()
                .filter(|(node, _)| !members.contains(node))
                .min_by_key(|(_, count)| **count);
            let Some((node, count)) = free else { break };
            *count = count.saturating_add(1);
            members.push(node);
            missing.push((place, (*node).to_owned()));
        }
    }
    missing
}

impl Tools {
    /// Removes the members on a node. False if one is left.
    async fn remove_members(&self, node: &String) -> anyhow::Result<bool> {
        let queues = self.replicated_queues().await?;
        let mut is_good = true;
        for queue in queues.iter().filter(|queue| queue.members.contains(node)) {
            let (program, command) = match queue.kind.as_str() {
                "stream" => ("rabbitmq-streams", "delete_replica"),
                _ => ("rabbitmq-queues", "delete_member"),
            };
            is_good &= self
                .change(program, command, queue, node, "removed the member")
                .await;
        }
        Ok(is_good)
    }

    /// Adds the members that are missing, and balances the leaders. False if one is missing or not online.
    async fn grow(&self, wanted: Wanted) -> anyhow::Result<bool> {
        let nodes = self.running_nodes().await?;
        let queues = self.replicated_queues().await?;
        let wanted = wanted.among(&nodes);
        let missing = missing(&queues, &nodes, wanted);
        let mut is_good = true;
        for (place, node) in &missing {
            let queue = &queues[*place];
            let (program, command) = match queue.kind.as_str() {
                "stream" => ("rabbitmq-streams", "add_replica"),
                _ => ("rabbitmq-queues", "add_member"),
            };
            is_good &= self
                .change(program, command, queue, node, "added a member")
                .await;
        }
        if !missing.is_empty() && is_good {
            is_good = self.wait_until_online(wanted).await?;
        }
        self.call("rabbitmq-queues", &["rebalance", "all"]).await?;
        say(&format!(
            "{} queues and streams on {wanted} of {} nodes; RabbitMQ balances the leaders",
            queues.len(),
            nodes.len()
        ));
        Ok(is_good)
    }

    /// Changes the members of a queue, and says so.
    async fn change(
        &self,
        program: &str,
        command: &str,
        queue: &Queue,
        node: &str,
        done: &str,
    ) -> bool {
        let arguments = [command, "--vhost", &self.vhost, &queue.name, node];
        match self.call(program, &arguments).await {
            Ok(_) => say(&format!("{}: {done} on {node}", queue.name)),
            Err(error) => {
                complain(&format!("{} on {node}: {error:#}", queue.name));
                return false;
            }
        }
        true
    }

    async fn wait_until_online(&self, wanted: usize) -> anyhow::Result<bool> {
        let until = Instant::now() + ONLINE_LIMIT;
        loop {
            let queues = self.replicated_queues().await?;
            let lacking = lacking(&queues, wanted);
            if lacking.is_empty() {
                return Ok(true);
            }
            if Instant::now() > until {
                for name in lacking {
                    complain(&format!("{name}: a member is not online yet"));
                }
                return Ok(false);
            }
            sleep(ONLINE_POLL).await;
        }
    }

    async fn running_nodes(&self) -> anyhow::Result<Vec<String>> {
        #[derive(Deserialize)]
        struct Status {
            running_nodes: Vec<String>,
        }
        let arguments = ["cluster_status", "--formatter", "json"];
        let status: Status = serde_json::from_str(&self.call("rabbitmqctl", &arguments).await?)
            .context("rabbitmqctl says something else than the nodes")?;
        let mut nodes = status.running_nodes;
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// Quorum queues and streams, by name.
    async fn replicated_queues(&self) -> anyhow::Result<Vec<Queue>> {
        let until = Instant::now() + LIST_LIMIT;
        loop {
            match self.list().await {
                Ok(queues) => return Ok(queues),
                Err(error) if Instant::now() > until => return Err(error),
                Err(_) => sleep(ONLINE_POLL).await,
            }
        }
    }

    async fn list(&self) -> anyhow::Result<Vec<Queue>> {
        const COLUMNS: [&str; 5] = ["name", "type", "leader", "members", "online"];
        let mut arguments = vec!["list_queues", "--vhost", &self.vhost];
        arguments.extend(COLUMNS);
        arguments.extend(["--formatter", "json"]);
        let listed = self.call("rabbitmqctl", &arguments).await?;
        let queues: Vec<Queue> = serde_json::from_str(&listed)
            .context("rabbitmqctl says something else than the queues")?;
        let mut queues: Vec<_> = queues.into_iter().filter(Queue::is_replicated).collect();
        queues.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(queues)
    }

    /// What the program prints.
    async fn call(&self, program: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let program = match &self.programs {
            Some(folder) => folder.join(program).into_os_string(),
            None => program.into(),
        };
        let mut words = self.through.iter().flat_map(|it| it.split_whitespace());
        let mut command = match words.next() {
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(&program);
                command
            }
            None => Command::new(&program),
        };
        command.arg("--quiet");
        if let Some(node) = &self.node {
            command.args(["--node", node]);
        }
        command
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let called = arguments.first().copied().unwrap_or_default();
        let done = timeout(TOOL_LIMIT, command.output())
            .await
            .map_err(|_| anyhow!("{called} takes longer than a minute"))?
            .with_context(|| format!("cannot run {}", program.to_string_lossy()))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            // Advice follows, of a page or more.
            let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
            bail!(
                "{called} failed: {}",
                lines.take(2).collect::<Vec<_>>().join(" ")
            );
        }
        String::from_utf8(done.stdout).with_context(|| format!("{called} prints no text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, members: &[&str]) -> Queue {
        let members: Vec<_> = members.iter().map(|it| (*it).to_owned()).collect();
        Queue {
            name: name.to_owned(),
            kind: "quorum".to_owned(),
            leader: members[0].clone(),
            online: members.clone(),
            members,
        }
    }

    fn three() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).into()
    }

    #[test]
    fn each_queue_gets_the_members_that_it_lacks_on_the_emptiest_nodes() {
        let queues = [
            queue("one", &["a"]),
            queue("two", &["a", "b"]),
            queue("three", &["a", "b", "c"]),
        ];
        let added = missing(&queues, &three(), 3);
        let expected = [(0, "c"), (0, "b"), (1, "c")].map(|(place, node)| (place, node.to_owned()));
        assert_eq!(added, expected);
        let of_two = missing(&[queue("one", &["a"]), queue("two", &["b"])], &three(), 2);
        assert_eq!(of_two, [(0, "c".to_owned()), (1, "a".to_owned())]);
    }

    #[test]
    fn nothing_is_added_where_nothing_lacks() {
        assert_eq!(missing(&[queue("one", &["a", "b", "c"])], &three(), 3), []);
        let one = ["a".to_owned()];
        let wanted = Wanted { size: 3 }.among(&one);
        assert_eq!(missing(&[queue("one", &["a"])], &one, wanted), []);
        // A member on a node that does not run counts: it comes back with its node.
        assert_eq!(
            missing(&[queue("one", &["a", "b", "gone"])], &three(), 3),
            []
        );
    }

    #[test]
    fn lists_of_rabbitmq_are_understood() {
        let listed = r#"[
{"name":"s0","type":"stream","leader":"r1@localhost","members":["r1@localhost"],"online":["r1@localhost"]}
,{"name":"old","type":"classic","leader":"","members":"","online":""}
]"#;
        let queues: Vec<Queue> = serde_json::from_str(listed).unwrap();
        assert_eq!(queues[0].members, ["r1@localhost"]);
        assert!(queues[0].is_replicated() && !queues[1].is_replicated());
        assert!(queues[1].members.is_empty());
    }
}
