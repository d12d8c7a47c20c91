//! Making a stored decision again.

use std::process::ExitCode;

use adfolio_placement::decision::{Decision, Inputs, Menu, Part};
use adfolio_placement::pace::Shape;
use adfolio_proto::plan::v1::{GetAllotmentDecisionRequest, GetAllotmentDecisionResponse};
use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::{Value, json};

use crate::names::time;
use crate::output::{say, table};
use crate::services::{Services, ask, operator};

/// Makes the stored decision about a plan in a round again, and compares
#[derive(Args, Debug)]
pub struct Replay {
    /// The plan's number
    plan_number: String,
    /// A time within the round, as RFC 3339; without it, the newest round
    #[arg(long)]
    at: Option<DateTime<Utc>>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// What was decided, and what is decided now of the same.
struct Replayed {
    shares: (Vec<u32>, Vec<u32>),
    decision: (Decision, Decision),
}

impl Replayed {
    fn of(stored: &GetAllotmentDecisionResponse) -> anyhow::Result<Self> {
        let menu: Menu = serde_json::from_str(&stored.menu_json).context("the menu")?;
        let shape: Shape = serde_json::from_str(&stored.shape_json).context("the shape")?;
        let inputs: Inputs = serde_json::from_str(&stored.inputs_json).context("the inputs")?;
        let decision = serde_json::from_str(&stored.decision_json).context("the decision")?;
        let shares = menu.shares();
        let again = inputs.decide(&menu, &shares, &shape);
        Ok(Self {
            shares: (stored.shares.clone(), shares),
            decision: (decision, again),
        })
    }

    fn is_same(&self) -> bool {
        self.shares.0 == self.shares.1 && self.decision.0 == self.decision.1
    }
}

impl Replay {
    /// Runs the command. Fails if the decision is another one now.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = GetAllotmentDecisionRequest {
            plan_number: self.plan_number,
            at: self.at.map(Into::into),
        };
        let stored = ask!(
            services.placement_admin,
            get_allotment_decision,
            operator(),
            message
        )?;
        let replayed = Replayed::of(&stored)?;
        if self.json {
            print_json(&stored, &replayed)?;
        } else {
            print(&stored, &replayed)?;
        }
        Ok(if replayed.is_same() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn print_json(stored: &GetAllotmentDecisionResponse, replayed: &Replayed) -> anyhow::Result<()> {
    let parsed = |json: &str| serde_json::from_str::<Value>(json);
    let document = json!({
        "from": time(stored.from),
        "to": time(stored.to),
        "placements": stored.placements,
        "menu": parsed(&stored.menu_json)?,
        "shape": parsed(&stored.shape_json)?,
        "inputs": parsed(&stored.inputs_json)?,
        "stored": {"shares": replayed.shares.0, "decision": replayed.decision.0},
        "again": {"shares": replayed.shares.1, "decision": replayed.decision.1},
        "same": replayed.is_same(),
    });
    say(&document.to_string());
    Ok(())
}

fn print(stored: &GetAllotmentDecisionResponse, replayed: &Replayed) -> anyhow::Result<()> {
    let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let (before, again) = &replayed.decision;
    let pace = text(&serde_json::to_value(before.pace)?);
    say(&format!(
        "{} to {}: {} allotted of {} by the pace ({pace})",
        text(&time(stored.from)),
        text(&time(stored.to)),
        before.total(),
        before.target,
    ));
    let percent = |share: u32| format!("{}.{:04} %", share / 10_000, share % 10_000);
    let cells = |name: &String, part: &Part| -> anyhow::Result<Vec<String>> {
        let reason = text(&serde_json::to_value(part.reason)?);
        Ok(vec![
            name.clone(),
            percent(part.share),
            part.units.to_string(),
            part.budget.to_string(),
            reason,
        ])
    };
    let rows = stored.placements.iter().zip(&before.parts);
    let rows: Vec<Vec<String>> = rows
        .map(|(name, part)| cells(name, part))
        .collect::<anyhow::Result<_>>()?;
    table(&["PLACEMENT", "SHARE", "UNITS", "BUDGET", "REASON"], &rows);
    if replayed.is_same() {
        say("the same inputs yield the same decision");
    } else {
        say(&format!(
            "THE DECISION IS ANOTHER ONE NOW: {} allotted; compare with --json",
            again.total()
        ));
    }
    Ok(())
}
