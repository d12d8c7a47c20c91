//! What many seeds showed.

/// Median and ends of a list of figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// The lowest one.
    pub lowest: f64,
    /// The middle one; the higher one of two.
    pub median: f64,
    /// The highest one.
    pub highest: f64,
}

impl Spread {
    /// Of figures in any order; zeros of none.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |place: usize| figures.get(place).copied().unwrap_or_default();
        Self {
            lowest: at(0),
            median: at(figures.len() / 2),
            highest: at(figures.len().saturating_sub(1)),
        }
    }
}

/// The figure that so many percent of all are at most.
pub fn percentile(figures: &[f64], percent: usize) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    let place = (figures.len() * percent / 100).min(figures.len().saturating_sub(1));
    figures.get(place).copied().unwrap_or_default()
}

/// The mean; 0 of none.
pub fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_in_order() {
        let spread = Spread::of([3.0, 1.0, 2.0]);
        assert_eq!(
            (spread.lowest, spread.median, spread.highest),
            (1.0, 2.0, 3.0)
        );
        assert_eq!(Spread::of([]).median.to_bits(), 0);
        let hundred: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!((percentile(&hundred, 95), mean(&hundred)), (95.0, 49.5));
        assert_eq!((percentile(&[], 50), mean(&[])), (0.0, 0.0));
    }
}
