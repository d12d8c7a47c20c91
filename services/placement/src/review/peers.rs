//! The click rate to expect of a subject: what its peers have, and what it had itself.

use super::history::Tally;

/// What is assumed without peers: rates of advertisements are a few hundredths, and a third of a click in ten impressions
/// is all that this assumption weighs. Only what no advertisement reaches, about a click in two impressions, is above it:
/// nobody is held because nothing is known yet.
const DEFAULT: Expected = Expected {
    rate: 0.03,
    pseudo_clicks: 0.3,
};

/// Peers and impressions of theirs from which their spread means something.
const ENOUGH_PEERS: usize = 5;
const ENOUGH_IMPRESSIONS: i64 = 1_000;

/// The largest share of one peer, or two even shares of a few peers: who invents a large placement
/// does not move the rate.
const LARGEST_SHARE: f64 = 0.1;
const EVEN_SHARES: f64 = 2.0;

/// Standard deviations above the others at which a peer's clicks are cut off, so that fraudulent
/// peers do not raise what is expected of all.
const CUT_AT_DEVIATIONS: f64 = 2.0;
const CUT_ROUNDS: u32 = 12;

/// The spread of honest rates in pseudo-clicks: 2 is a factor of two either way and more, 10 a
/// third. Neither peers nor history ever make the gate surer than that.
const PSEUDO_CLICKS: (f64, f64) = (2.0, 10.0);

/// A beta distribution of click rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    /// Its mean.
    pub(super) rate: f64,
    /// Its first parameter.
    pub(super) pseudo_clicks: f64,
}

/// Whether there are enough peers to compare with.
pub(super) fn suffice(peers: impl Iterator<Item = Tally>) -> bool {
    let (count, all) = peers
        .filter(|peer| peer.impressions > 0)
        .fold((0_usize, Tally::default()), |(count, all), peer| {
            (count.saturating_add(1), all.plus(peer))
        });
    count >= ENOUGH_PEERS && all.impressions >= ENOUGH_IMPRESSIONS
}

impl Expected {
    /// Of a subject without a history.
    pub(super) fn of_peers(peers: impl Iterator<Item = Tally> + Clone) -> Self {
        if !suffice(peers.clone()) {
            return DEFAULT;
        }
        let peers = peers.filter(|peer| peer.impressions > 0);
        let largest = largest_weight(&peers.clone().map(|peer| peer.impressions as f64));
        let weighed = peers.map(|peer| {
            let impressions = (peer.impressions as f64).min(largest);
            (impressions, peer.click_rate() * impressions)
        });
        let rate = robust_rate(&weighed);
        Self {
            rate,
            pseudo_clicks: spread(weighed, rate),
        }
    }

    /// With a history of its own. A long one outweighs the peers.
    pub(super) fn with(self, history: Tally) -> Self {
        let clicks = self.pseudo_clicks + history.clicks.max(0) as f64;
        let impressions = self.pseudo_clicks / self.rate + history.impressions.max(0) as f64;
        Self {
            rate: (clicks / impressions).min(0.5),
            pseudo_clicks: clicks.min(PSEUDO_CLICKS.1),
        }
    }
}

/// The impressions that one peer counts for at most: its share of what all count for.
fn largest_weight(impressions: &(impl Iterator<Item = f64> + Clone)) -> f64 {
    let share = (EVEN_SHARES / impressions.clone().count() as f64).max(LARGEST_SHARE);
    let mut largest = f64::MAX;
    for _ in 0..CUT_ROUNDS {
        largest = share
            * impressions
                .clone()
                .map(|of_peer| of_peer.min(largest))
                .sum::<f64>();
    }
    largest
}

/// The mean rate with high peers cut off at what the mean explains, until it stays.
fn robust_rate(peers: &(impl Iterator<Item = (f64, f64)> + Clone)) -> f64 {
    let mut rate = 1.0;
    for _ in 0..CUT_ROUNDS {
        let (impressions, clicks) = peers.clone().fold(
            (0.0, 0.0),
            |(impressions, clicks), (of_peer, clicks_of_peer)| {
                let explained: f64 = rate * of_peer;
                let cut = explained + CUT_AT_DEVIATIONS * explained.sqrt() + 1.0;
                (impressions + of_peer, clicks + clicks_of_peer.min(cut))
            },
        );
        // A click in a hundred impressions for the same reason as without peers: no rate is 0.
        rate = (clicks + DEFAULT.pseudo_clicks) / (impressions + 1.0 / DEFAULT.rate);
    }
    rate
}

/// How much rates differ between peers beyond the chance of their clicks, as pseudo-clicks.
fn spread(peers: impl Iterator<Item = (f64, f64)>, rate: f64) -> f64 {
    let (mut count, mut explained_sum, mut deviation) = (0.0, 0.0, 0.0);
    for (impressions, clicks) in peers {
        let explained = rate * impressions;
        count += 1.0;
        explained_sum += explained;
        // Cut off for the same reason as the rate.
        deviation += ((clicks - explained).powi(2) / explained).min(9.0);
    }
    // What the deviation may be, not what it happens to be: two standard deviations of its mean
    // higher. Peers with few clicks do not show how much they differ.
    let excess = deviation / (count - 1.0) - 1.0 + 2.0 * (2.0 / count).sqrt();
    let squared_variation = excess / (explained_sum / count);
    if squared_variation > 0.0 {
        (1.0 / squared_variation).clamp(PSEUDO_CLICKS.0, PSEUDO_CLICKS.1)
    } else {
        PSEUDO_CLICKS.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(honest: usize, poisoned: usize) -> Vec<Tally> {
        let tally = |clicks| Tally {
            impressions: 3_000,
            clicks,
        };
        let mut peers = vec![tally(9); honest];
        peers.extend(vec![tally(90); poisoned]);
        peers
    }

    #[test]
    fn a_quarter_of_poisoned_peers_moves_the_rate_by_less_than_its_double() {
        let honest = Expected::of_peers(peers(34, 0).into_iter());
        assert!((honest.rate - 0.003).abs() < 0.000_1, "{honest:?}");
        let poisoned = Expected::of_peers(peers(34, 11).into_iter());
        assert!(poisoned.rate < honest.rate * 2.0, "{poisoned:?}");
    }

    #[test]
    fn one_large_peer_does_not_make_the_rate() {
        let mut all = peers(34, 0);
        all.push(Tally {
            impressions: 10_000_000,
            clicks: 300_000,
        });
        let expected = Expected::of_peers(all.into_iter());
        assert!(expected.rate < 0.006, "{expected:?}");
    }

    #[test]
    fn a_long_history_outweighs_the_peers() {
        let history = Tally {
            impressions: 100_000,
            clicks: 3_000,
        };
        let expected = Expected::of_peers(peers(34, 0).into_iter()).with(history);
        assert!((expected.rate - 0.03).abs() < 0.001, "{expected:?}");
        assert!(expected.pseudo_clicks <= PSEUDO_CLICKS.1);
    }

    #[test]
    fn few_peers_say_nothing() {
        assert_eq!(Expected::of_peers(peers(4, 0).into_iter()), DEFAULT);
    }
}
