//! Probabilities of counts as high as those observed.

use statrs::function::beta::{checked_beta_reg, checked_ln_beta};
use statrs::function::gamma::ln_gamma;

/// Clicks above which the chance of clicks hardly adds to the spread of rates: the rate's own
/// distribution answers, in constant time.
const MANY_CLICKS: i64 = 1_000;

/// Terms of a sum that matter to its double.
const NEGLIGIBLE: f64 = 1e-12;

/// Probability of `hits` or more among `trials` of a chance.
pub(super) fn binomial(hits: i64, trials: i64, chance: f64) -> f64 {
    if hits <= 0 {
        return 1.0;
    }
    if hits > trials {
        return 0.0;
    }
    let (hits, trials) = (hits as f64, trials as f64);
    // A value out of its range says nothing.
    checked_beta_reg(hits, trials - hits + 1.0, chance.clamp(0.0, 1.0)).unwrap_or(1.0)
}

/// Probability of `clicks` or more among `impressions` whose click rate is drawn from the beta
/// distribution with this mean and this many pseudo-clicks; 1 for clicks below the mean, which are
/// not looked at closer.
pub(super) fn beta_binomial(clicks: i64, impressions: i64, mean: f64, pseudo_clicks: f64) -> f64 {
    let (k, n) = (clicks as f64, impressions as f64);
    // Terms would grow before they fall, for as long as the mean is away.
    if k <= n * mean {
        return 1.0;
    }
    if clicks > impressions {
        return 0.0;
    }
    let alpha = pseudo_clicks;
    let beta = pseudo_clicks / mean - pseudo_clicks;
    if clicks > MANY_CLICKS {
        return checked_beta_reg(beta, alpha, (1.0 - k / n).clamp(0.0, 1.0)).unwrap_or(1.0);
    }
    let (Ok(ln_posterior), Ok(ln_prior)) = (
        checked_ln_beta(k + alpha, n - k + beta),
        checked_ln_beta(alpha, beta),
    ) else {
        return 1.0;
    };
    let ln_choose = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
    let mut term = (ln_choose + ln_posterior - ln_prior).exp();
    let mut sum = 0.0;
    let mut x = k;
    while x <= n && term > NEGLIGIBLE * sum {
        sum += term;
        term *= (n - x) * (alpha + x) / ((x + 1.0) * (beta + n - x - 1.0));
        x += 1.0;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn tails_are_those_of_tables() {
        close(binomial(1, 10, 0.5), 1.0 - 0.5_f64.powi(10));
        close(binomial(10, 10, 0.1), 1e-10);
        // With a uniform prior every count from 0 to n is as likely.
        close(beta_binomial(8, 9, 0.5, 1.0), 0.2);
        close(beta_binomial(60, 99, 0.5, 1.0), 0.4);
    }

    #[test]
    fn tails_of_many_clicks_join_those_of_few() {
        let few = beta_binomial(MANY_CLICKS, 300_000, 0.003, 4.0);
        let many = beta_binomial(MANY_CLICKS + 1, 300_000, 0.003, 4.0);
        assert!((few / many - 1.0).abs() < 0.02, "{few} {many}");
    }

    #[test]
    fn nothing_is_certain_and_too_much_impossible() {
        close(binomial(0, 10, 0.1), 1.0);
        close(beta_binomial(0, 10, 0.1, 2.0), 1.0);
        assert!(binomial(11, 10, 0.1) <= 0.0);
        assert!(beta_binomial(11, 10, 0.1, 2.0) <= 0.0);
    }
}
