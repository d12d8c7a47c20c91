//! Account statements of the platform's bank account.

use adfolio_proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{Money, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// Form of an account statement.
    BankStatementFormat = wallet::BankStatementFormat {
        /// CAMT.053 of ISO 20022.
        Camt053,
        /// CSV with a header line.
        Csv,
    }
}

wire_enum! {
    /// What is wrong in a file.
    BankFileProblem = wallet::BankFileProblem {
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

wire_enum! {
    /// Where a line of an account statement stands.
    BankLineState = wallet::BankLineState {
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

wire_struct! {
    /// A fault of a file.
    pub struct BankFileFault = wallet::BankFileFault {
        /// Line of the file, from 1; 0 if it is about all of it.
        #[schema(example = 7)]
        pub line: u32,
        /// The field that is wrong; null if it is the file.
        #[schema(required = true, example = "amount")]
        pub field: Option<String>,
        /// What is wrong with it.
        pub problem: BankFileProblem,
        /// What stands there, shortened.
        #[schema(example = "1.005")]
        pub value: String,
    }
}

wire_struct! {
    /// An account statement that is kept.
    pub struct BankStatement = wallet::BankStatement as statement {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e61")]
        pub id: String,
        /// Name of the file.
        #[schema(example = "statement-2026-11-28.xml")]
        pub name: String,
        /// Its form.
        pub format: BankStatementFormat,
        /// The bank's own id of it.
        #[schema(required = true)]
        pub reference: Option<String>,
        /// First booking date; null if an earlier file had brought all lines.
        #[schema(required = true, example = "2026-11-27")]
        pub first_day: Option<String>,
        /// Last booking date.
        #[schema(required = true, example = "2026-11-28")]
        pub last_day: Option<String>,
        /// SHA-256 of the file, in hexadecimal.
        pub sha256: String = (hex::encode(&statement.digest)),
        /// Who uploaded it.
        pub uploaded_by: String,
        /// When.
        pub uploaded_at: Timestamp,
        /// Lines that this file brought first.
        pub lines: u32,
        /// Lines that an earlier file had brought; they are left out.
        pub known_lines: u32,
        /// Sum of what was paid in.
        pub paid_in: Money = paid_in_minor,
        /// Lines paid in that nobody has decided about.
        pub open_lines: u32,
        /// Lines that wait for approval.
        pub waiting_lines: u32,
        /// Lines that are credited.
        pub credited_lines: u32,
        /// Lines that are set aside.
        pub aside_lines: u32,
    }
}

wire_struct! {
    /// What became of a file.
    pub struct BankUpload = wallet::UploadBankStatementResponse {
        /// The statement; null if the file has faults: then nothing was kept.
        #[schema(required = true)]
        pub statement: Option<BankStatement>,
        /// Whether the same file was kept before.
        pub repeated: bool,
        /// Faults, at most 100.
        pub faults: Vec<BankFileFault>,
        /// Columns of a CSV file, in their order.
        pub columns: Vec<String>,
    }
}

/// A line of an account statement.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffBankLine {
    /// The line.
    #[serde(flatten)]
    pub line: BankLine,
    /// The user whose payment reference stands in the text.
    #[schema(required = true)]
    pub matched_user: Option<UserName>,
    /// The user who is credited, or will be once approved.
    #[schema(required = true)]
    pub user: Option<UserName>,
}

wire_struct! {
    /// What the bank says of a line, and what became of it.
    pub struct BankLine = wallet::BankLine {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62")]
        pub id: String,
        /// The statement.
        pub statement_id: String,
        /// Line of the file.
        #[schema(example = 12)]
        pub line: u32,
        /// Booking date.
        #[schema(example = "2026-11-28")]
        pub booked_on: String,
        /// Amount; negative if it was paid out.
        pub amount: Money = amount_minor,
        /// What the payer wrote.
        #[schema(required = true, example = "RF18539007547034 top up")]
        pub text: Option<String>,
        /// Who paid, or was paid.
        #[schema(required = true, example = "Ada Lovelace")]
        pub party: Option<String>,
        /// The bank's reference.
        #[schema(required = true)]
        pub bank_reference: Option<String>,
        /// The withdrawal that it pays, by the end-to-end id of a payment file.
        #[schema(required = true)]
        pub withdrawal_id: Option<String>,
        /// Where it stands.
        pub state: BankLineState,
        /// The transaction of the ledger.
        #[schema(required = true)]
        pub transaction_id: Option<String>,
        /// The request that waits for another member of staff.
        #[schema(required = true)]
        pub approval_id: Option<String>,
        /// Whether another statement has a line of that day and amount for the same user: maybe the same payment.
        pub similar: bool,
        /// Why it was set aside.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// Who set it aside.
        #[schema(required = true)]
        pub decided_by: Option<String>,
    }
}

/// A page of account statements.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BankStatementListQuery {
    /// Only the statement with this id.
    pub id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Filters for the lines of a statement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BankLineListQuery {
    /// The statement.
    pub statement_id: String,
    /// Only lines in this state.
    pub state: Option<BankLineState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Credits a line.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreditBankLineRequest {
    /// The line.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62")]
    pub id: String,
    /// The user; the matched one if absent. A matched line is credited to no other.
    pub user_id: Option<String>,
}

/// Sets a line aside, or takes that back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SetBankLineAsideRequest {
    /// The line.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62")]
    pub id: String,
    /// Whether it shall be aside.
    pub aside: bool,
    /// Why, 1 to 500 characters.
    #[schema(example = "Interest of the bank")]
    pub reason: String,
}
