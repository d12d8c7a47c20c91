//! Subjects with more clicks than their history and their peers explain.

use std::sync::Arc;

use super::batch::{Batch, Group};
use super::findings::{Findings, Statistics, Subject};
use super::history::{History, Tally};
use super::input::{Context, Peer};
use super::peers::{Expected, suffice};
use super::rule::{
    CLICK_RATE_CLICKS, CLICK_RATE_IMPRESSIONS, CLICK_RATE_RATIO, CLICK_RATE_TAIL, Rule,
};
use super::tail;

/// Peers from which a subject may be among its own: its weight is limited and its clicks are cut off,
/// and leaving each subject out in turn would be quadratic.
const MANY_PEERS: usize = 100;

pub(super) fn check<'a>(
    batch: &Batch<'_, 'a>,
    context: &Context<'a>,
    statistics: &mut [Statistics<'a>],
    findings: &mut Findings,
) {
    let peers = &context.peers;
    let placements = Compared::new(batch, &peers.placements, Kind::Placement);
    let plans = Compared::new(batch, &peers.plans, Kind::Plan);
    let sources = Compared::new(batch, &peers.sources, Kind::Source);
    for (group, statistics) in batch.groups.iter().zip(statistics) {
        let compared = match named(group.subject).1 {
            Kind::Placement => &placements,
            Kind::Plan => &plans,
            Kind::Source => &sources,
        };
        let tally = unheld(batch, group, findings);
        let Some(judged) = judge(group, tally, compared) else {
            continue;
        };
        statistics.expected_click_rate = Some(judged.expected.rate);
        statistics.click_probability = Some(judged.probability);
        if !judged.is_excessive() {
            continue;
        }
        let detail = Arc::from(format!(
            "{} clicks of {} impressions are {:.3} %; history and peers let expect {:.3} %",
            judged.observed.clicks,
            judged.observed.impressions,
            100.0 * judged.observed.click_rate(),
            100.0 * judged.expected.rate
        ));
        let values = (judged.probability, CLICK_RATE_TAIL);
        for row in to_hold(batch, group, &judged.expected) {
            findings.add(*row, Rule::ClickRate, values, &detail);
        }
    }
}

/// The tally of a subject. The source comes last, and answers only for what its placements and
/// plans do not answer for already.
fn unheld(batch: &Batch<'_, '_>, group: &Group<'_, '_>, findings: &Findings) -> Tally {
    if group.subject != Subject::Source {
        return group.tally;
    }
    let rows = batch.rows_of(group);
    let unheld = rows.filter(|(index, _)| !findings.has(*index, Rule::ClickRate));
    unheld.fold(Tally::default(), |sum, (_, row)| sum.plus(row.tally()))
}

/// The rows of a subject; of the source, those of placements and plans with more clicks than are
/// expected.
fn to_hold<'b>(
    batch: &'b Batch<'_, '_>,
    group: &'b Group<'_, '_>,
    expected: &Expected,
) -> impl Iterator<Item = &'b usize> {
    let is_source = group.subject == Subject::Source;
    let rate = expected.rate;
    let parts = batch.groups.iter().filter(move |part| {
        let is_part = part.subject != Subject::Source && part.tally.click_rate() > rate;
        if is_source {
            is_part
        } else {
            part.subject == group.subject
        }
    });
    parts.flat_map(|part| &part.rows)
}

/// The peers of one kind of subject.
struct Compared<'a> {
    peers: Vec<Peer<'a>>,
    /// What all of them let expect.
    all: Expected,
}

impl<'a> Compared<'a> {
    /// The caller's peers; with the batch's own subjects where they are too few.
    fn new(batch: &Batch<'_, 'a>, peers: &[Peer<'a>], kind: Kind) -> Self {
        let mut peers = peers.to_vec();
        if !suffice(peers.iter().map(|peer| peer.tally)) {
            let groups = batch
                .groups
                .iter()
                .map(|group| (named(group.subject), group));
            let alike = groups.filter(|((_, of_group), _)| *of_group == kind);
            peers.extend(alike.map(|((name, _), group)| Peer {
                name,
                tally: group.tally,
            }));
        }
        let all = Expected::of_peers(peers.iter().map(|peer| peer.tally));
        Self { peers, all }
    }

    /// What the others let expect of a subject.
    fn without(&self, subject: &str) -> Expected {
        if self.peers.len() >= MANY_PEERS {
            return self.all;
        }
        let others = self.peers.iter().filter(|peer| peer.name != subject);
        Expected::of_peers(others.map(|peer| peer.tally))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Placement,
    Plan,
    Source,
}

fn named(subject: Subject<'_>) -> (&str, Kind) {
    match subject {
        Subject::Placement(name) => (name, Kind::Placement),
        Subject::Plan(name) => (name, Kind::Plan),
        // No source is called so: the caller names the others.
        Subject::Source => ("", Kind::Source),
    }
}

/// A subject's clicks against what is expected.
struct Judged {
    observed: Tally,
    expected: Expected,
    probability: f64,
    is_to_blame: bool,
}

impl Judged {
    fn new(observed: Tally, expected: Expected) -> Self {
        let Expected {
            rate,
            pseudo_clicks,
        } = expected;
        let (clicks, impressions) = (observed.clicks, observed.impressions);
        Self {
            observed,
            expected,
            probability: tail::beta_binomial(clicks, impressions, rate, pseudo_clicks),
            is_to_blame: true,
        }
    }

    /// Whether it may be excessive once the subject is no peer of its own: that needs more time.
    fn may_be_excessive(&self) -> bool {
        2.0 * self.observed.click_rate() >= CLICK_RATE_RATIO * self.expected.rate
    }

    fn is_excessive(&self) -> bool {
        self.is_to_blame
            && self.probability < CLICK_RATE_TAIL
            && self.observed.click_rate() >= CLICK_RATE_RATIO * self.expected.rate
    }
}

/// Judges the batch together with what was posted lately against what was before, and alone against
/// all: the first finds one fraud in many small imports, the second a short fraud in a large
/// subject. Answers the one that is excessive, or else the first.
fn judge(group: &Group<'_, '_>, tally: Tally, compared: &Compared<'_>) -> Option<Judged> {
    let none = History::default();
    let history = group.history.unwrap_or(&none);
    let together = tally.plus(history.recent);
    let before = history.baseline.plus(history.recent);
    let mut answer: Option<Judged> = None;
    for (observed, before) in [(together, history.baseline), (tally, before)] {
        if !is_enough(observed) {
            continue;
        }
        let mut judged = Judged::new(observed, compared.all.with(before));
        if judged.may_be_excessive() {
            let (subject, _) = named(group.subject);
            judged = Judged::new(observed, compared.without(subject).with(before));
        }
        // Rows without more clicks than expected are not to blame for those posted before.
        judged.is_to_blame = tally.click_rate() > judged.expected.rate;
        if answer.is_none() || judged.is_excessive() {
            answer = Some(judged);
        }
    }
    answer
}

fn is_enough(tally: Tally) -> bool {
    tally.impressions >= CLICK_RATE_IMPRESSIONS && tally.clicks >= CLICK_RATE_CLICKS
}
