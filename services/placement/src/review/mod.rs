//! The gate on reports: which rows of a batch must not post, and must not teach, before a person has
//! seen them.
//!
//! [`review`] looks at a batch of rows with what the caller knows ([`Context`]) and answers the rows
//! to quarantine, each with the [`Rule`] that it broke. Impossible rows contradict the contract:
//! more clicks than impressions, a price off the list, a placement of another network. Implausible
//! rows are possible one by one; their pattern is not.
//!
//! | part | content |
//! |---|---|
//! | `rule` | the rules with their thresholds and smallest samples |
//! | `input`, `history` | rows, and what the caller knows |
//! | `batch` | the rows with their names looked up, and grouped by subject |
//! | `impossible`, `price` | rules on single rows |
//! | `click_rate`, `burst`, `round`, `copied`, `dribbled` | rules on patterns |
//! | `peers`, `tail` | the click rate to expect, and probabilities |
//!
//! Who splits a fraud over many imports meets it again in the [`History`] of the subject: the rules
//! on patterns judge the batch together with what the subject reported lately. So a pattern is
//! found by the batch that completes it; rows that posted before are for staff to restate.

mod batch;
mod burst;
mod click_rate;
mod copied;
mod dribbled;
mod findings;
mod history;
mod impossible;
mod input;
mod peers;
mod price;
mod round;
mod rule;
mod tail;

pub use dribbled::repeat_key;
pub use findings::{Finding, Review, Statistics, Subject};
pub use history::{History, Rhythm, Roundness, Shape, Tally};
pub use input::{
    Context, Earlier, Model, Peer, Peers, Placement, Plan, Price, PriceList, Row, Windows,
};
pub use rule::{Rule, Spec};

use batch::Batch;
use findings::Findings;

/// Decides which rows of a batch go to quarantine. All rows are of one source.
///
/// Rows that repeat a known revision, or that a later row of the batch restates, are not part of
/// any pattern. A restated row shares the quarantine of the row that restates it.
pub fn review<'a>(rows: &[Row<'a>], context: &Context<'a>) -> Review<'a> {
    let mut batch = Batch::new(rows, context);
    let mut findings = Findings::new(rows.len());
    impossible::check(&batch, context, &mut findings);
    price::check(&batch, context, &mut findings);
    batch.group(context, &findings);
    let mut statistics: Vec<Statistics<'a>> = batch.groups.iter().map(Statistics::of).collect();
    click_rate::check(&batch, context, &mut statistics, &mut findings);
    burst::check(&batch, &mut statistics, &mut findings);
    round::check(&batch, &mut statistics, &mut findings);
    copied::check(&batch, &mut statistics, &mut findings);
    dribbled::check(&batch, context, &mut statistics, &mut findings);
    findings.share_with_restated(&batch);
    Review {
        findings: findings.finish(rows),
        subjects: statistics,
    }
}
