//! Reads account statements as CSV: a header line, and a line for each payment. Banks name and order columns as they
//! like, so a mapping says which column has what; without one a column has its field's own name.

use std::collections::BTreeMap;

use adfolio_kit::names;
use chrono::NaiveDate;
use csv::{Position, ReaderBuilder, StringRecord};

use super::entity::{Faults, File, MOST_LINES, Ours, Parsed, Problem, Rows, amount};

/// Columns of a file at most.
const MOST_COLUMNS: usize = 100;

/// Bytes of a mapping at most.
const LARGEST_MAPPING: usize = 16 * 1024;

names! {
    /// What a column has.
    Field {
        /// Booking date: 2026-11-28 or 28.11.2026.
        Date,
        /// Signed amount.
        Amount,
        /// Currency.
        Currency,
        /// What the payer wrote.
        Text,
        /// Who paid, or was paid.
        Party,
        /// The bank's reference of the payment.
        BankReference,
        /// The id that a payment file gave it.
        EndToEndId,
        /// The account's balance after it.
        Balance,
        /// The account of the statement.
        Account,
    }
}

impl Field {
    /// Those that every file has.
    const NEEDED: [Self; 4] = [Self::Date, Self::Amount, Self::Currency, Self::Text];
}

/// Reads a file, or names its faults.
pub fn read(content: &str, mapping: &str, ours: Ours<'_>) -> Result<File, Faults> {
    let separator = separator(content);
    let mut reader = ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .from_reader(content.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| Faults::one(1, "", Problem::Form, &error.to_string()))?;
    let columns: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let places = places(&columns, mapping)?;
    let mut table = Table {
        ours,
        places,
        has_decimal_comma: separator != b',',
        faults: Faults::default(),
        lines: Vec::new(),
        balances: Vec::new(),
    };
    let rows = Rows::new(content);
    let mut record = StringRecord::new();
    loop {
        let line = line_at(content, &rows, reader.position());
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                table
                    .faults
                    .add(line, "", Problem::Form, &error.to_string());
                break;
            }
        }
        if table.lines.len() >= MOST_LINES {
            table.faults.add(line, "", Problem::TooMany, "");
            break;
        }
        if record.iter().any(|value| !value.trim().is_empty()) {
            table.row(line, &record);
        }
    }
    table.compare_balances();
    if table.lines.is_empty() && table.faults.is_empty() {
        table.faults.add(1, "", Problem::Missing, "");
    }
    let file = File {
        reference: String::new(),
        lines: table.lines,
        columns,
    };
    table.faults.or(file)
}

/// The line of the record at a position. The reader skips empty lines only when it reads on.
fn line_at(content: &str, rows: &Rows, position: &Position) -> u32 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = content.get(start..).unwrap_or_default();
    let empty = rest
        .len()
        .saturating_sub(rest.trim_start_matches(['\r', '\n']).len());
    rows.of(start.saturating_add(empty))
}

/// The columns of a file, for a person who maps them.
pub fn columns(content: &str) -> Vec<String> {
    let mut reader = ReaderBuilder::new()
        .delimiter(separator(content))
        .from_reader(content.as_bytes());
    let header = reader
        .headers()
        .map(|header| header.iter().take(MOST_COLUMNS));
    header.map_or_else(
        |_| Vec::new(),
        |names| names.map(|name| name.trim().to_owned()).collect(),
    )
}

/// The separator that the header line has most of.
fn separator(content: &str) -> u8 {
    let header = content.lines().next().unwrap_or_default();
    let count = |separator: u8| header.bytes().filter(|byte| *byte == separator).count();
    [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| (count(*separator), *separator == b','))
        .unwrap_or(b',')
}

/// The place of each field among the columns.
fn places(columns: &[String], mapping: &str) -> Result<BTreeMap<Field, usize>, Faults> {
    let refused = |problem, value: &str| Err(Faults::one(1, "mapping", problem, value));
    if columns.len() > MOST_COLUMNS {
        return Err(Faults::one(1, "", Problem::TooMany, ""));
    }
    let mapped: BTreeMap<String, String> = match mapping {
        "" => BTreeMap::new(),
        text if text.len() > LARGEST_MAPPING => return refused(Problem::TooMany, ""),
        text => match serde_json::from_str(text) {
            Ok(mapped) => mapped,
            Err(_) => return refused(Problem::Form, text),
        },
    };
    let mut places = BTreeMap::new();
    for (column, field) in &mapped {
        let Some(field) = Field::from_name(field) else {
            return refused(Problem::Form, field);
        };
        let Some(place) = columns.iter().position(|name| name == column) else {
            return refused(Problem::Missing, column);
        };
        if places.insert(field, place).is_some() {
            return refused(Problem::TooMany, field.as_str());
        }
    }
    for field in Field::ALL {
        let place = columns.iter().position(|name| {
            !mapped.contains_key(name) && name.to_lowercase().replace(' ', "_") == field.as_str()
        });
        if let Some(place) = place {
            places.entry(*field).or_insert(place);
        }
    }
    let mut faults = Faults::default();
    for field in Field::NEEDED {
        if !places.contains_key(&field) {
            faults.add(1, field.as_str(), Problem::Missing, "");
        }
    }
    faults.or(places)
}

struct Table<'a> {
    ours: Ours<'a>,
    places: BTreeMap<Field, usize>,
    /// Whether a comma may be a decimal point: not where it separates columns.
    has_decimal_comma: bool,
    faults: Faults,
    lines: Vec<Parsed>,
    /// The balance after each line that has one.
    balances: Vec<(usize, i64)>,
}

impl Table<'_> {
    fn row(&mut self, line: u32, record: &StringRecord) {
        let value = |field| {
            let place = self.places.get(&field);
            place
                .and_then(|place| record.get(*place))
                .unwrap_or_default()
                .trim()
        };
        let mut is_right = true;
        let mut fault = |field: Field, problem, value: &str| {
            is_right = false;
            let problem = if value.is_empty() {
                Problem::Missing
            } else {
                problem
            };
            self.faults.add(line, field.as_str(), problem, value);
        };
        let booked_on = day(value(Field::Date));
        if booked_on.is_none() {
            fault(Field::Date, Problem::Date, value(Field::Date));
        }
        let number = |text: &str| {
            if self.has_decimal_comma && !text.contains('.') {
                amount(&text.replacen(',', ".", 1))
            } else {
                amount(text)
            }
        };
        let moved = number(value(Field::Amount)).filter(|amount| *amount != 0);
        if moved.is_none() {
            fault(Field::Amount, Problem::Amount, value(Field::Amount));
        }
        if value(Field::Currency) != self.ours.currency {
            fault(Field::Currency, Problem::Currency, value(Field::Currency));
        }
        if self.places.contains_key(&Field::Account) && !self.ours.is_account(value(Field::Account))
        {
            fault(Field::Account, Problem::Account, value(Field::Account));
        }
        let balance = match value(Field::Balance) {
            "" => None,
            written => {
                let balance = number(written);
                if balance.is_none() {
                    fault(Field::Balance, Problem::Amount, written);
                }
                balance
            }
        };
        let (Some(booked_on), Some(amount), true) = (booked_on, moved, is_right) else {
            return;
        };
        if let Some(balance) = balance {
            self.balances.push((self.lines.len(), balance));
        }
        let own = |field| value(field).to_owned();
        let parsed = Parsed {
            line,
            booked_on,
            amount,
            text: own(Field::Text),
            party: own(Field::Party),
            bank_reference: own(Field::BankReference),
            end_to_end_id: own(Field::EndToEndId),
        };
        self.lines.push(parsed.cut());
    }

    /// The balances, if every line has one: each is the one before and the amount, in the order of the file or, since
    /// some banks write the newest first, in the other.
    fn compare_balances(&mut self) {
        if self.balances.len() != self.lines.len() {
            return;
        }
        let first_wrong = |is_newest_first: bool| {
            self.balances.windows(2).find_map(|pair| {
                let [(first, before), (second, after)] = pair else {
                    return None;
                };
                let (from, to, moved) = if is_newest_first {
                    (after, before, first)
                } else {
                    (before, after, second)
                };
                let amount = self.lines.get(*moved)?.amount;
                (from.saturating_add(amount) != *to).then_some(*moved)
            })
        };
        if let (Some(wrong), Some(_)) = (first_wrong(false), first_wrong(true))
            && let (Some(line), Some((_, balance))) =
                (self.lines.get(wrong), self.balances.get(wrong))
        {
            let stated = adfolio_money::Money::from_minor(*balance).to_string();
            self.faults
                .add(line.line, Field::Balance.as_str(), Problem::Sum, &stated);
        }
    }
}

/// A day as 2026-11-28 or 28.11.2026; with slashes nobody knows which number is the month.
fn day(text: &str) -> Option<NaiveDate> {
    let is_padded = text.len() == 10;
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .or_else(|_| NaiveDate::parse_from_str(text, "%d.%m.%Y"));
    day.ok().filter(|_| is_padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Ours<'_> = Ours {
        account: "DE89 3704 0044 0532 0130 00",
        currency: "EUR",
    };

    fn faults(content: &str, mapping: &str) -> Vec<(u32, &'static str, Problem)> {
        let outcome = read(content, mapping, OURS);
        let faults = outcome.expect_err("faults").into_vec();
        faults
            .into_iter()
            .map(|fault| (fault.line, fault.field, fault.problem))
            .collect()
    }

    #[test]
    fn a_file_with_the_fields_own_names_is_read() {
        let file = "Date,Amount,Currency,Text,Party,Bank reference,Balance,Account\n\
                    2026-11-27,1250.00,EUR,\"RF18 first, please\",Ada,B1,1250.00,DE89370400440532013000\n\
                    \n\
                    2026-11-28,-50.5,EUR,rent,,B2,1199.50,DE89370400440532013000\n";
        let file = read(file, "", OURS).expect("a file");
        let read: Vec<(u32, i64, &str)> = file
            .lines
            .iter()
            .map(|line| (line.line, line.amount, line.text.as_str()))
            .collect();
        assert_eq!(
            read,
            [(2, 125_000, "RF18 first, please"), (4, -5050, "rent")]
        );
        assert_eq!(file.columns.len(), 8);
    }

    #[test]
    fn columns_of_a_bank_are_mapped() {
        let content = "Buchungstag;Betrag;Währung;Verwendungszweck\n28.11.2026;1250,00;EUR;Hallo\n";
        let mapping = r#"{"Buchungstag":"date","Betrag":"amount","Währung":"currency","Verwendungszweck":"text"}"#;
        let file = read(content, mapping, OURS).expect("a file");
        assert_eq!(
            (file.lines[0].amount, file.lines[0].text.as_str()),
            (125_000, "Hallo")
        );
        assert_eq!(
            columns(content),
            ["Buchungstag", "Betrag", "Währung", "Verwendungszweck"]
        );
        let missing = faults(content, "");
        let fields: Vec<&str> = missing.iter().map(|(_, field, _)| *field).collect();
        assert_eq!(fields, ["date", "amount", "currency", "text"]);
        for (mapping, problem) in [
            ("[]", Problem::Form),
            (r#"{"Betrag":"sum"}"#, Problem::Form),
            (r#"{"Nowhere":"amount"}"#, Problem::Missing),
            (
                r#"{"Betrag":"amount","Währung":"amount"}"#,
                Problem::TooMany,
            ),
        ] {
            assert_eq!(
                faults(content, mapping),
                [(1, "mapping", problem)],
                "{mapping}"
            );
        }
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let content = "date,amount,currency,text,account\n\
                       2026-11-28,1.005,EUR,a,DE89370400440532013000\n\
                       11/12/2026,5.00,USD,b,DE89370400440532013000\n\
                       2026-11-28,,EUR,c,GB29NWBK60161331926819\n\
                       2026-11-28,\"1,00\",EUR,d,DE89370400440532013000\n";
        assert_eq!(
            faults(content, ""),
            [
                (2, "amount", Problem::Amount),
                (3, "date", Problem::Date),
                (3, "currency", Problem::Currency),
                (4, "amount", Problem::Missing),
                (4, "account", Problem::Account),
                (5, "amount", Problem::Amount),
            ]
        );
        assert_eq!(
            faults("date,amount,currency,text\n", ""),
            [(1, "", Problem::Missing)]
        );
    }

    #[test]
    fn balances_must_follow_from_the_amounts_in_either_order() {
        let file = |lines: &str| format!("date,amount,currency,text,balance\n{lines}");
        let [a, b, c] = [
            "2026-11-28,5,EUR,a,15\n",
            "2026-11-28,-3,EUR,b,12\n",
            "2026-11-28,1,EUR,c,14\n",
        ];
        assert!(read(&file(&format!("{a}{b}")), "", OURS).is_ok());
        assert!(read(&file(&format!("{b}{a}")), "", OURS).is_ok());
        assert_eq!(
            faults(&file(&format!("{a}{b}{c}")), ""),
            [(4, "balance", Problem::Sum)]
        );
    }

    #[test]
    fn more_lines_than_a_file_may_have_are_refused() {
        let mut content = "date,amount,currency,text\n".to_owned();
        for _ in 0..=MOST_LINES {
            content.push_str("2026-11-28,1,EUR,a\n");
        }
        assert_eq!(faults(&content, ""), [(10_002, "", Problem::TooMany)]);
    }
}
