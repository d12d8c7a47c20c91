//! The rules, with what staff read about them.

/// Reports may lie this far in the future, in seconds: clocks differ.
pub const FUTURE_SKEW_S: i64 = 300;

/// Honest clicks this high or higher have at most this probability. A row is judged once, so the
/// expected share of honest rows in quarantine is no more than this.
pub const CLICK_RATE_TAIL: f64 = 5e-4;
/// A click rate below this multiple of the expected one is left alone, whatever its probability:
/// a new creative may double a rate.
pub const CLICK_RATE_RATIO: f64 = 3.0;
/// Impressions below which a click rate says nothing.
pub const CLICK_RATE_IMPRESSIONS: i64 = 50;
/// Clicks below which a click rate says nothing.
pub const CLICK_RATE_CLICKS: i64 = 5;

/// Probability, over all windows of the batch, that honest clicks crowd into one of them so.
pub const BURST_TAIL: f64 = 1e-5;
/// Least ratio of a window's clicks to those that its impressions explain. Rates vary by hour, but
/// not by this.
pub const BURST_RATIO: f64 = 5.0;
/// Clicks in a minute below which they are no burst.
pub const BURST_CLICKS: i64 = 8;

/// Probability that an honest subject has so many round rows.
pub const ROUND_TAIL: f64 = 1e-6;
/// Least share of round rows: some networks round a part of their rows.
pub const ROUND_SHARE: f64 = 0.3;
/// Rows of [`ROUND_IMPRESSIONS`] below which nothing is said.
pub const ROUND_ROWS: i64 = 20;
/// Impressions of a row from which its last digits are chance.
pub const ROUND_IMPRESSIONS: i64 = 100;

/// Probability, over all days compared, that an honest day repeats so much of another.
pub const COPIED_TAIL: f64 = 1e-6;
/// Rows in common below which nothing is said.
pub const COPIED_ROWS: usize = 8;
/// Different contents among the rows in common, at least: a placement at its cap says the same
/// every hour.
pub const COPIED_CONTENTS: usize = 6;
/// Impressions of a row below which it is like too many others to count.
pub const COPIED_IMPRESSIONS: i64 = 10;

/// Rows of one plan, placement and minute with equal content from which a report is split.
pub const DRIBBLED_ROWS: i64 = 6;
/// Least share of such rows among those of the plan, placement and minute: networks that report by
/// country have equal rows by chance.
pub const DRIBBLED_SHARE: f64 = 0.5;
/// Impressions below which a row is part of a log of single impressions.
pub const DRIBBLED_IMPRESSIONS: i64 = 2;
/// Least share of a subject's rows that have an equal row under another id from which the subject
/// reports twice.
pub const TWINS_SHARE: f64 = 0.8;

/// What staff read about a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name in findings; never changes.
    pub name: &'static str,
    /// Changes with the rule's meaning, its thresholds included.
    pub version: u32,
    /// What [`Finding::value`](super::Finding::value) and the threshold measure.
    pub measure: &'static str,
    /// Where the rule starts to fire. Rules with several conditions name the deciding one.
    pub threshold: f64,
    /// The smallest sample that it judges.
    pub smallest_sample: i64,
    /// What that sample counts.
    pub sample_unit: &'static str,
    /// What it finds.
    pub description: &'static str,
}

/// Declares the rules in the order in which a row's findings are sorted.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $spec:expr;)*) => {
        /// Why a row goes to quarantine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)*];

            /// What staff read about it.
            pub const fn spec(self) -> Spec {
                match self {
                    $(Self::$rule => $spec,)*
                }
            }
        }
    };
}

rules! {
    /// More clicks than impressions.
    ClicksAboveImpressions = one_row("clicks_above_impressions", "clicks above impressions", 0.0,
        "A row has more clicks than impressions, or a negative count.");
    /// A cost for nothing.
    SpendWithoutImpressions = one_row("spend_without_impressions", "spend in millionths", 0.0,
        "A row costs money but has no impressions and no clicks, or no impressions where \
         impressions are what is paid for.");
    /// Another amount than the listed price gives.
    PriceOffList = one_row("price_off_list", "millionths off the listed amount", 1.0,
        "Spend or revenue differ from impressions or clicks times the listed price by more than \
         the rounding of the amounts, in one row or systematically over the placement's rows.");
    /// No price at the row's time.
    PriceMissing = one_row("price_missing", "prices valid at the time", 1.0,
        "The placement has no price at the row's time.");
    /// Nothing was allotted.
    NotAllotted = one_row("not_allotted", "allotments at the time", 1.0,
        "The plan has supply, but the placement had no allotment of it at the row's time, or the \
         row names no placement.");
    /// Another network's placement.
    ForeignPlacement = one_row("foreign_placement", "placements of the source", 1.0,
        "The placement is unknown or belongs to another network.");
    /// Delivered in the future.
    FutureDate = one_row("future_date", "seconds in the future", FUTURE_SKEW_S as f64,
        "The row's time is in the future by more than clocks differ.");
    /// Lowers what was settled.
    RestatedAfterSettlement = one_row("restated_after_settlement", "lowered by", 0.0,
        "A revision lowers a report of a plan that is settled.");
    /// Too many clicks.
    ClickRate = Spec {
        name: "click_rate", version: 1, measure: "probability", threshold: CLICK_RATE_TAIL,
        smallest_sample: CLICK_RATE_IMPRESSIONS, sample_unit: "impressions, with 5 clicks",
        description: "The click rate is at least 3 times what the subject's clean history and its \
                      peers let expect, and chance does not explain it. All of the subject's rows \
                      in the batch are held; of a source, those of the placements and plans above \
                      the expected rate.",
    };
    /// Clicks crowd into a minute.
    ClickBurst = Spec {
        name: "click_burst", version: 1, measure: "probability", threshold: BURST_TAIL,
        smallest_sample: BURST_CLICKS, sample_unit: "clicks in a minute",
        description: "Clicks crowd into 60 seconds in which there were few of the impressions. \
                      The rows of these seconds are held.",
    };
    /// Invented numbers.
    RoundNumbers = Spec {
        name: "round_numbers", version: 1, measure: "probability", threshold: ROUND_TAIL,
        smallest_sample: ROUND_ROWS, sample_unit: "rows of 100 impressions or more",
        description: "Far more rows than chance explains have impressions that are multiples of \
                      100 or of 10. The round rows are held.",
    };
    /// A day reported again as another.
    CopiedDay = Spec {
        name: "copied_day", version: 1, measure: "probability", threshold: COPIED_TAIL,
        smallest_sample: COPIED_ROWS.cast_signed() as i64, sample_unit: "rows in common, with 6 different contents",
        description: "A day's rows have the times, impressions, clicks and spend of another day. \
                      The rows in common are held.",
    };
    /// One report under many ids.
    DribbledReport = Spec {
        name: "dribbled_report", version: 1, measure: "equal rows", threshold: DRIBBLED_ROWS as f64,
        smallest_sample: DRIBBLED_ROWS, sample_unit: "rows of 2 impressions or more",
        description: "Rows of one plan, placement and minute have equal content under many ids, \
                      or nearly every row of the subject has an equal under another id. The equal \
                      rows are held.",
    };
}

/// A rule that judges each row by itself.
const fn one_row(
    name: &'static str,
    measure: &'static str,
    threshold: f64,
    description: &'static str,
) -> Spec {
    Spec {
        name,
        version: 1,
        measure,
        threshold,
        smallest_sample: 1,
        sample_unit: "row",
        description,
    }
}

impl Rule {
    /// Its stable name.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Its version.
    pub const fn version(self) -> u32 {
        self.spec().version
    }

    /// The rule of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name)
    }

    /// Its bit in the set of a row's rules.
    pub(super) const fn bit(self) -> u32 {
        1 << self as u32
    }
}
