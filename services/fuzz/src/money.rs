//! Amounts: lines of text.

use adfolio_gateway::dto::{DecimalInput, MoneyInput};
use adfolio_money::{Micros, Money};

/// Reads every line as an amount of either kind, and computes with it.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut amounts = Vec::new();
    for line in text.lines() {
        if let Ok(money) = line.parse::<Money>() {
            let written = money.to_string();
            assert_eq!(written.parse(), Ok(money), "{line}");
            if let Ok(micros) = Micros::try_from(money) {
                assert_eq!(micros.to_money_half_even(), money, "{line}");
            }
            amounts.push(money);
        }
        if let Ok(micros) = line.parse::<Micros>() {
            let _ = micros.to_money_half_even();
            for (numerator, denominator) in [(1, 1_000), (i64::MAX, 1), (micros.get(), 7), (1, 0)] {
                let _ = micros.ratio_half_even(numerator, denominator);
            }
            assert_eq!(micros.ratio_half_even(1, 1), Ok(micros));
        }
        check_json(line);
    }
    check_sums(&amounts);
}

/// The gateway accepts the same texts, as JSON string and as JSON number.
fn check_json(line: &str) {
    let quoted = serde_json::to_string(line).expect("text is JSON");
    let as_text = serde_json::from_str::<MoneyInput>(&quoted).map(MoneyInput::minor);
    let parsed = line.parse::<Money>().map(Money::minor);
    assert_eq!(as_text.ok(), parsed.ok(), "{line}");
    if let Ok(as_number) = serde_json::from_str::<MoneyInput>(line) {
        // A line that is itself a JSON string is read as its value.
        if !line.trim_start().starts_with('"') {
            assert_eq!(
                Ok(as_number.minor()),
                line.trim().parse::<Money>().map(Money::minor)
            );
        }
    }
    let _ = serde_json::from_str::<DecimalInput>(line);
}

fn check_sums(amounts: &[Money]) {
    let _ = Money::checked_sum(amounts.iter().copied());
    for pair in amounts.windows(2) {
        let [one, other] = pair else { continue };
        if let Ok(sum) = one.checked_add(*other) {
            assert_eq!(sum.checked_sub(*other), Ok(*one));
        }
        let _ = one.checked_neg();
        for basis_points in [0, 1, 9_999, 10_000, u32::MAX] {
            let _ = one.basis_points_floor(basis_points);
        }
        let _ = one.share_floor(other.minor(), one.minor());
    }
}
