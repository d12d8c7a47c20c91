//! Account statements and their lines, as they are read and as they are kept.

use std::collections::HashMap;

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_money::Money;
use chrono::{DateTime, NaiveDate, Utc};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::ids::{ApprovalId, BankLineId, BankStatementId, StaffId, TransactionId, WithdrawalId};
use crate::posting::amount::LARGEST_AMOUNT;

/// Bytes of a file at most.
pub const LARGEST_FILE: usize = 3 * 1024 * 1024;

/// Lines of a file at most.
pub const MOST_LINES: usize = 10_000;

/// Faults that are named at most.
pub const MOST_FAULTS: usize = 100;

/// Characters that are kept of what a payer wrote.
const LONGEST_TEXT: usize = 500;

/// Characters that are kept of a name or a reference.
const LONGEST_NAME: usize = 140;

/// Characters that a fault shows of what stands in the file.
const LONGEST_VALUE: usize = 60;

names! {
    /// Form of an account statement.
    Format as "bank_statement_format" {
        /// CAMT.053 of ISO 20022.
        Camt053,
        /// CSV with a header line.
        Csv,
    }
}

names! {
    /// What is wrong in a file.
    Problem {
        /// Not in the form that it should have.
        Form,
        /// Not UTF-8.
        Encoding,
        /// Not there, or empty.
        Missing,
        /// Not an amount, or none that can be posted.
        Amount,
        /// Not the platform's currency.
        Currency,
        /// Not a date.
        Date,
        /// Not the sum of what it should be the sum of.
        Sum,
        /// Not the platform's bank account.
        Account,
        /// More than a file may have.
        TooMany,
    }
}

names! {
    /// Where a line stands.
    LineState {
        /// Paid in; nobody has decided.
        Open,
        /// Paid in; its deposit waits for another member of staff.
        Waiting,
        /// Paid in and credited.
        Credited,
        /// Set aside by staff.
        Aside,
        /// Paid out: nothing to credit.
        PaidOut,
    }
}

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, from 1; 0 if it is about all of it.
    pub line: u32,
    /// The field that is wrong; empty if it is the file.
    pub field: &'static str,
    pub problem: Problem,
    /// What stands there, shortened.
    pub value: String,
}

/// The faults of a file, as far as they are named.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds one, unless enough are named.
    pub fn add(&mut self, line: u32, field: &'static str, problem: Problem, value: &str) {
        if self.0.len() < MOST_FAULTS {
            let value = shortened(value, LONGEST_VALUE);
            self.0.push(Fault {
                line,
                field,
                problem,
                value,
            });
        }
    }

    /// A file with one fault.
    pub fn one(line: u32, field: &'static str, problem: Problem, value: &str) -> Self {
        let mut faults = Self::default();
        faults.add(line, field, problem, value);
        faults
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was read, if it has no fault.
    pub fn or<T>(self, read: T) -> Result<T, Self> {
        if self.0.is_empty() {
            Ok(read)
        } else {
            Err(self)
        }
    }

    /// Each of them.
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }
}

/// What a file must agree with.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// The platform's bank account, without blanks.
    pub account: &'a str,
    /// The platform's currency, ISO 4217.
    pub currency: &'a str,
}

impl Ours<'_> {
    /// Whether it is the platform's account, however its digits are grouped.
    pub fn is_account(&self, text: &str) -> bool {
        compact(text).eq_ignore_ascii_case(&compact(self.account))
    }
}

/// A line as a file tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// Line of the file.
    pub line: u32,
    pub booked_on: NaiveDate,
    /// Negative if it was paid out.
    pub amount: i64,
    /// What the payer wrote.
    pub text: String,
    /// Who paid, or was paid.
    pub party: String,
    pub bank_reference: String,
    pub end_to_end_id: String,
}

impl Parsed {
    /// With texts of a length that is kept.
    pub fn cut(self) -> Self {
        Self {
            text: shortened(&self.text, LONGEST_TEXT),
            party: shortened(&self.party, LONGEST_NAME),
            bank_reference: shortened(&self.bank_reference, LONGEST_NAME),
            end_to_end_id: shortened(&self.end_to_end_id, LONGEST_NAME),
            ..self
        }
    }

    /// The withdrawal that a payment file named so.
    pub fn withdrawal_id(&self) -> Option<WithdrawalId> {
        let id: Uuid = self.end_to_end_id.parse().ok()?;
        (self.amount < 0).then_some(WithdrawalId(id))
    }

    /// What makes it one payment of the account, in whatever file: the bank's reference, and without one what else is
    /// known of it.
    fn fingerprint(&self) -> Sha256 {
        let mut digest = Sha256::new();
        let mut add = |part: &str| {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        };
        add(&self.booked_on.to_string());
        add(&self.amount.to_string());
        add(&self.bank_reference);
        if self.bank_reference.is_empty() {
            for part in [&self.text, &self.party, &self.end_to_end_id] {
                add(part);
            }
        }
        digest
    }
}

/// What a file tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The bank's own id of the statement; empty if it has none.
    pub reference: String,
    pub lines: Vec<Parsed>,
    /// The columns of a table, in their order.
    pub columns: Vec<String>,
}

/// The identity of each line: lines that nothing else tells apart are counted.
pub fn identities(lines: &[Parsed]) -> Vec<[u8; 32]> {
    let mut seen: HashMap<[u8; 32], u64> = HashMap::with_capacity(lines.len());
    let identity = |line: &Parsed| {
        let fingerprint = line.fingerprint();
        let alike = seen.entry(fingerprint.clone().finalize().into());
        let place = *alike
            .and_modify(|count| *count = count.saturating_add(1))
            .or_insert(0);
        fingerprint
            .chain_update(place.to_be_bytes())
            .finalize()
            .into()
    };
    lines.iter().map(identity).collect()
}

/// An account statement that is kept.
#[derive(Clone, Debug)]
pub struct Statement {
    pub id: BankStatementId,
    pub name: String,
    pub format: Format,
    pub reference: String,
    pub digest: Vec<u8>,
    pub parsed_lines: i32,
    pub uploaded_by: StaffId,
    pub uploaded_at: DateTime<Utc>,
    pub counts: Counts,
}

/// The lines of a statement, by where they stand.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub lines: i64,
    /// The first and the last booking date.
    pub days: Option<(NaiveDate, NaiveDate)>,
    pub paid_in: i64,
    pub open: i64,
    pub waiting: i64,
    pub credited: i64,
    pub aside: i64,
}

/// A line that is kept.
#[derive(Clone, Debug)]
pub struct Line {
    pub id: BankLineId,
    pub statement_id: BankStatementId,
    pub place: i32,
    /// Line of the file.
    pub number: i32,
    pub booked_on: NaiveDate,
    pub amount: i64,
    pub text: String,
    pub party: String,
    pub bank_reference: String,
    pub matched_user_id: Option<UserId>,
    pub withdrawal_id: Option<WithdrawalId>,
    pub posting_key: String,
    pub state: LineState,
    /// Whether a second person refused its deposit, or nobody approved it in time.
    pub is_refused: bool,
    /// The user who is credited, or was to be.
    pub user_id: Option<UserId>,
    pub transaction_id: Option<TransactionId>,
    pub approval_id: Option<ApprovalId>,
    /// Whether another statement has a line of that day and amount for the same user.
    pub is_similar: bool,
    pub aside_by: Option<StaffId>,
    pub aside_reason: String,
}

impl Line {
    /// What the user reads of the deposit.
    pub fn remark(&self) -> String {
        let (day, reference) = (self.booked_on, &self.bank_reference);
        if reference.is_empty() {
            format!("Bank transfer of {day}")
        } else {
            format!("Bank transfer of {day}, {reference}")
        }
    }
}

/// The key of the deposit of a line.
pub fn posting_key(line: BankLineId, attempt: Uuid) -> String {
    format!("bank_line:{line}:{attempt}")
}

/// An amount with its sign as files have it: digits and a point, at most two decimals that say anything.
pub fn amount(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    let digits = match digits.split_once('.') {
        Some((whole, fraction)) => {
            let kept = fraction.get(..2).unwrap_or(fraction);
            let rest = fraction.get(2..).unwrap_or_default();
            if fraction.is_empty() || rest.bytes().any(|byte| byte != b'0') {
                return None;
            }
            format!("{whole}.{kept}")
        }
        None => digits.to_owned(),
    };
    let amount: Money = digits.parse().ok()?;
    let fits = amount <= LARGEST_AMOUNT;
    fits.then(|| amount.minor().saturating_mul(sign))
}

/// A text in one line, without control characters, of at most `longest` characters.
fn shortened(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.chars()
        .filter(|character| !character.is_control())
        .take(longest)
        .collect()
}

/// Where the lines of a file end: to count them for each place would take the square of its size.
#[derive(Debug)]
pub struct Rows(Vec<usize>);

impl Rows {
    pub fn new(content: &str) -> Self {
        let ends = content
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(end, _)| end).collect())
    }

    /// The line of a byte, from 1.
    pub fn of(&self, place: usize) -> u32 {
        let before = self.0.partition_point(|end| *end < place);
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// Without the blanks that people group digits with.
fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text of a file in UTF-8, without its byte order mark; or the line where it is none.
pub fn text(content: &[u8]) -> Result<&str, Faults> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let before = content.get(..error.valid_up_to()).unwrap_or_default();
        let line = u32::try_from(before.split(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX);
        Faults::one(line, "", Problem::Encoding, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(amount: i64, text: &str, bank_reference: &str) -> Parsed {
        Parsed {
            line: 1,
            booked_on: NaiveDate::from_ymd_opt(2026, 11, 28).expect("a day"),
            amount,
            text: text.to_owned(),
            party: String::new(),
            bank_reference: bank_reference.to_owned(),
            end_to_end_id: String::new(),
        }
    }

    #[test]
    fn amounts_are_read_as_banks_write_them() {
        for (text, minor) in [
            ("12", 1200),
            ("12.5", 1250),
            ("-0.01", -1),
            ("+3.00", 300),
            ("105678.50000", 10_567_850),
        ] {
            assert_eq!(amount(text), Some(minor), "{text}");
        }
        for text in [
            "",
            "-",
            "1.",
            ".5",
            "1.005",
            "1,5",
            "1 000",
            "1e3",
            "--1",
            "99999999999999999",
        ] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn a_payment_is_one_by_the_banks_reference_and_without_one_by_all_that_is_known() {
        let lines = [
            line(5, "a", "r1"),
            line(5, "b", "r1"),
            line(5, "a", ""),
            line(5, "b", ""),
            line(5, "b", ""),
        ];
        let all = identities(&lines);
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), lines.len(), "alike ones are counted");
        // The text says nothing where the bank's reference does.
        assert_eq!(identities(&lines[..1]), identities(&lines[1..2]));
        assert_ne!(identities(&lines[2..3]), identities(&lines[3..4]));
        assert_eq!(identities(&lines[3..]), identities(&lines[3..]));
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_refused_with_its_line() {
        assert_eq!(text(b"\xef\xbb\xbfa").ok(), Some("a"));
        let faults = text(b"a\nb\nM\xfcnchen").expect_err("Latin-1").into_vec();
        assert_eq!((faults[0].line, faults[0].problem), (3, Problem::Encoding));
    }
}
