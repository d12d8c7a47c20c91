//! What only staff see and send: accounts, licences, pushes, imports, reconciliation, content.

use std::collections::BTreeMap;

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::account::{UserInfo, UserState};
use super::plan::{Audience, ContentType, Plan, PlanDetail, PlanStatus};
use super::wallet::Property;
use super::{MoneyInput, PageLimit, Timestamp, each, non_empty, wire_enum};
use crate::errors::Failure;
use crate::lang::Lang;

wire_enum! {
    /// What a member of staff may do.
    StaffRole = auth::StaffRole {
        /// Everything.
        Admin,
        /// Users, licences, notices, feedback, resets.
        Support,
        /// Wallet, withdrawals, exchange.
        Finance,
        /// Products, plans, coupons, content.
        Operator,
    }
}

/// A member of staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Staff {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
    pub id: String,
    /// Login name.
    #[schema(example = "admin")]
    pub username: String,
    /// What the member may do.
    pub role: StaffRole,
}

impl Staff {
    /// From a service's message.
    pub fn from_proto(staff: auth::Staff) -> Result<Self, Failure> {
        Ok(Self {
            id: staff.id,
            username: staff.username,
            role: StaffRole::from_wire(staff.role)?,
        })
    }
}

/// A staff session that was just opened.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffSession {
    /// The token for `X-CT`; told only here.
    #[schema(example = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA")]
    pub token: String,
    /// Whose it is.
    pub staff: Staff,
}

/// A page of staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPage {
    /// The members, newest first.
    pub items: Vec<Staff>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Creates a member of staff.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateStaffRequest {
    /// Login name.
    #[schema(example = "olivia")]
    pub username: String,
    /// Password, 8 to 128 characters.
    #[schema(example = "a long enough password")]
    pub password: String,
    /// What the member may do.
    pub role: StaffRole,
}

wire_enum! {
    /// Whether a licence key still opens an account.
    LicenseState = auth::LicenseKeyState {
        /// Opens one account.
        Unused,
        /// Has opened an account.
        Used,
    }
}

/// A licence key (authorisation code).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct License {
    /// The code as handed out.
    #[schema(example = "7KQ2-M9TX-4WPA-ZC3H")]
    pub code: String,
    /// Whether it still opens an account.
    pub state: LicenseState,
    /// Staff's note.
    #[schema(required = true)]
    pub note: Option<String>,
    /// Whether the account it opens is active at once.
    pub activate: bool,
    /// The user it opened an account for.
    #[schema(required = true)]
    pub user_id: Option<String>,
    /// When it was issued.
    pub created_at: Timestamp,
}

impl License {
    /// From a service's message.
    pub fn from_proto(key: auth::LicenseKey) -> Result<Self, Failure> {
        Ok(Self {
            code: key.code,
            state: LicenseState::from_wire(key.state)?,
            note: non_empty(key.note),
            activate: key.activate,
            user_id: non_empty(key.user_id),
            created_at: Timestamp::required(key.created_at, "created_at")?,
        })
    }
}

/// Issues licence keys.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateLicenseRequest {
    /// How many, 1 to 500.
    #[schema(minimum = 1, maximum = 500, example = 10)]
    pub count: u32,
    /// Staff's note.
    #[schema(example = "Trade fair")]
    pub note: Option<String>,
    /// Whether accounts opened with them are active at once; yes when absent.
    #[schema(example = true)]
    pub activate: Option<bool>,
}

/// Licence keys that were just issued.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LicenseList {
    /// The keys.
    pub items: Vec<License>,
}

/// A page of licence keys.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LicensePage {
    /// The keys, newest first.
    pub items: Vec<License>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Asks for users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserListQuery {
    /// Part of a user name, an e-mail address or an id.
    pub query: Option<String>,
    /// Only users in this state.
    pub state: Option<UserState>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// A page of users.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserPage {
    /// The users, newest first.
    pub items: Vec<UserInfo>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A live session of a user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SessionSummary {
    /// Its id; not the token.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3a")]
    pub id: String,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was last seen, to the minute.
    pub last_seen_at: Timestamp,
    /// When it expires unless used.
    pub expires_at: Timestamp,
}

impl SessionSummary {
    /// From a service's message.
    pub fn from_proto(session: auth::SessionSummary) -> Result<Self, Failure> {
        Ok(Self {
            id: session.id,
            created_at: Timestamp::required(session.created_at, "created_at")?,
            last_seen_at: Timestamp::required(session.last_seen_at, "last_seen_at")?,
            expires_at: Timestamp::required(session.expires_at, "expires_at")?,
        })
    }
}

/// A user with wallet and sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UserDetail {
    /// The user.
    #[serde(flatten)]
    pub user: UserInfo,
    /// The wallet's figures.
    pub property: Property,
    /// Live sessions, newest first.
    pub sessions: Vec<SessionSummary>,
}

/// Moves an account to another state.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserStateRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
    /// The new state.
    #[schema(example = "disabled")]
    pub state: UserState,
    /// Why.
    #[schema(example = "Asked for by the user")]
    pub reason: Option<String>,
}

/// Issues a token for a user of a native host shell.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct HostTokenRequest {
    /// The host's own id of its user, 1 to 200 characters; the same id is the same user.
    #[schema(example = "host-user-4711")]
    pub external_user_id: String,
    /// Language to start with.
    pub lang: Option<Lang>,
}

/// Credits a deposit.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DepositRequest {
    /// Whom to credit.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// How much.
    #[schema(example = "2000.00")]
    pub amount: MoneyInput,
    /// Shown to the user, at most 500 characters.
    #[schema(example = "Bank transfer 2026-11-20")]
    pub remark: String,
}

/// One proof of the books.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReconcileCheck {
    /// Stable name.
    #[schema(example = "entries_sum_to_zero")]
    pub name: String,
    /// Whether it holds.
    #[schema(example = true)]
    pub ok: bool,
    /// The figure that must be zero.
    #[schema(example = 0)]
    pub figure: i64,
    /// What was found, in English.
    #[schema(example = "every transaction's entries sum to zero")]
    pub detail: String,
}

/// The proof of the books.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Reconciliation {
    /// Whether all checks hold.
    #[schema(example = true)]
    pub ok: bool,
    /// The checks.
    pub checks: Vec<ReconcileCheck>,
}

impl Reconciliation {
    /// From a service's message.
    pub fn from_proto(response: wallet::ReconcileResponse) -> Self {
        let check = |check: wallet::ReconcileCheck| ReconcileCheck {
            name: check.name,
            ok: check.ok,
            figure: check.figure,
            detail: check.detail,
        };
        Self {
            ok: response.ok,
            checks: response.checks.into_iter().map(check).collect(),
        }
    }
}

/// A product as staff create it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateProductRequest {
    /// Name shown.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Square icon.
    #[schema(example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
    /// Wide picture.
    pub cover_url: Option<String>,
    /// Category shown.
    #[schema(example = "Games")]
    pub category: String,
    /// What it is.
    #[schema(example = "A calm puzzle game by the sea.")]
    pub description: String,
    /// Game description; may be empty.
    #[schema(example = "Match tiles, repair the harbour.")]
    pub game_description: String,
    /// Content it can be advertised with.
    pub content_types: Vec<ContentType>,
    /// Lowest put amount.
    #[schema(example = "100.00")]
    pub put_min: MoneyInput,
    /// Highest put amount.
    #[schema(example = "5000.00")]
    pub put_max: MoneyInput,
    /// Whom its advertisements are shown to.
    pub audience: Audience,
}

impl CreateProductRequest {
    /// For a service's message.
    pub fn into_proto(self, id: String) -> plan::Product {
        plan::Product {
            id,
            name: self.name,
            icon_url: self.icon_url.unwrap_or_default(),
            cover_url: self.cover_url.unwrap_or_default(),
            category: self.category,
            description: self.description,
            game_description: self.game_description,
            content_types: self.content_types.into_iter().map(Into::into).collect(),
            put_min_minor: self.put_min.minor(),
            put_max_minor: self.put_max.minor(),
            audience: Some(self.audience.into_proto()),
        }
    }
}

/// A product as staff change it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditProductRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub id: String,
    /// Name shown.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Square icon.
    #[schema(example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
    /// Wide picture.
    pub cover_url: Option<String>,
    /// Category shown.
    #[schema(example = "Games")]
    pub category: String,
    /// What it is.
    #[schema(example = "A calm puzzle game by the sea.")]
    pub description: String,
    /// Game description; may be empty.
    #[schema(example = "Match tiles, repair the harbour.")]
    pub game_description: String,
    /// Content it can be advertised with.
    pub content_types: Vec<ContentType>,
    /// Lowest put amount.
    #[schema(example = "100.00")]
    pub put_min: MoneyInput,
    /// Highest put amount.
    #[schema(example = "5000.00")]
    pub put_max: MoneyInput,
    /// Whom its advertisements are shown to.
    pub audience: Audience,
}

impl EditProductRequest {
    /// For a service's message.
    pub fn into_proto(self) -> plan::Product {
        let id = self.id;
        CreateProductRequest {
            name: self.name,
            icon_url: self.icon_url,
            cover_url: self.cover_url,
            category: self.category,
            description: self.description,
            game_description: self.game_description,
            content_types: self.content_types,
            put_min: self.put_min,
            put_max: self.put_max,
            audience: self.audience,
        }
        .into_proto(id)
    }
}

/// A proxy operator.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Operator {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
    pub id: String,
    /// Name shown.
    #[schema(example = "North Sea Media")]
    pub name: String,
    /// Users who follow now.
    #[schema(example = 0)]
    pub followers: i64,
}

impl From<plan::Operator> for Operator {
    fn from(operator: plan::Operator) -> Self {
        Self {
            id: operator.id,
            name: operator.name,
            followers: operator.followers,
        }
    }
}

/// A page of operators.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OperatorPage {
    /// The operators, newest first.
    pub items: Vec<Operator>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Creates a proxy operator.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateOperatorRequest {
    /// Name shown, 1 to 100 characters.
    #[schema(example = "North Sea Media")]
    pub name: String,
}

/// To whom a plan is pushed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushTarget {
    /// Users, 1 to 500.
    #[schema(example = json!(["0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"]))]
    pub user_ids: Vec<String>,
}

/// Pushes a plan to users; it waits for their put.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushPlanRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: String,
    /// Proposed amount, within the product's range.
    #[schema(example = "500.00")]
    pub amount: MoneyInput,
    /// To whom.
    pub to: PushTarget,
    /// What is advertised, in words.
    #[schema(example = "Fifteen-second video")]
    pub put_content: String,
    /// How it is advertised, in words.
    #[schema(example = "Delivered evenly until the budget is consumed.")]
    pub put_rule: String,
    /// Whom it is shown to; the product's audience when absent.
    pub user_targeting: Option<Audience>,
}

/// A pushed plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PushedPlan {
    /// To whom.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The plan.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
    pub plan_id: String,
}

/// The pushed plans.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PushedPlans {
    /// One for each user.
    pub items: Vec<PushedPlan>,
}

/// A user as a plan shows one to staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanUser {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub id: String,
    /// Login name; null while it cannot be looked up.
    #[schema(required = true, example = "ada.lovelace")]
    pub username: Option<String>,
}

/// A plan with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlan {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// Whose plan.
    pub user: PlanUser,
}

/// A page of plans of all users.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlanPage {
    /// The plans, newest first.
    pub items: Vec<StaffPlan>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A plan in detail with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlanDetail {
    /// The plan.
    #[serde(flatten)]
    pub detail: PlanDetail,
    /// Whose plan.
    pub user: PlanUser,
}

/// Asks for plans of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffPlanListQuery {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Only this status.
    pub status: Option<PlanStatus>,
    /// Only this plan number.
    pub plan_number: Option<String>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// How delivery ends.
    FinishOutcome = plan::FinishOutcome {
        /// Delivered; goes on to settlement.
        PutFinished,
        /// Undelivered; the money goes back.
        PutFailed,
    }
}

/// Ends delivery of a plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FinishPlanRequest {
    /// The plan.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
    pub id: String,
    /// How.
    pub outcome: FinishOutcome,
    /// Why; kept in the timeline.
    #[schema(example = "Window over")]
    pub reason: Option<String>,
}

/// A row of an import that could not be taken.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RejectedRow {
    /// Line of the file, from 1, the CSV header included.
    #[schema(example = 17)]
    pub line: i64,
    /// Why, in English.
    #[schema(example = "unknown plan number")]
    pub reason: String,
}

/// What became of an import. All good rows have landed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ImportResult {
    /// Rows read.
    #[schema(example = 10000)]
    pub read: i64,
    /// Rows that were new.
    #[schema(example = 9999)]
    pub applied: i64,
    /// Rows that were known already.
    #[schema(example = 0)]
    pub repeated: i64,
    /// Rows that restated an earlier revision.
    #[schema(example = 0)]
    pub restated: i64,
    /// Rows that could not be taken; at most 1000 are named.
    pub rejected: Vec<RejectedRow>,
    /// How many could not be taken.
    #[schema(example = 1)]
    pub rejected_count: i64,
}

impl From<plan::ImportDeliveryResponse> for ImportResult {
    fn from(response: plan::ImportDeliveryResponse) -> Self {
        let row = |row: plan::RejectedRow| RejectedRow {
            line: row.line,
            reason: row.reason,
        };
        Self {
            read: response.read,
            applied: response.applied,
            repeated: response.repeated_rows,
            restated: response.restated,
            rejected: response.rejected.into_iter().map(row).collect(),
            rejected_count: response.rejected_count,
        }
    }
}

/// A way to reach customer service, in every language, as staff edit it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ServiceEntryContentInput {
    /// Opaque id; given when absent.
    pub id: Option<String>,
    /// 1 is a page inside the app, anything else opens elsewhere.
    #[serde(rename = "type")]
    #[schema(example = 1)]
    pub kind: i32,
    /// Its address; https only.
    #[schema(example = "https://support.example.com/chat")]
    pub url: String,
    /// Its label by language; `en` is required.
    #[schema(example = json!({"en": "Live chat"}))]
    pub label: BTreeMap<Lang, String>,
}

/// A way to reach customer service, in every language.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServiceEntryContent {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30")]
    pub id: String,
    /// 1 is a page inside the app, anything else opens elsewhere.
    #[serde(rename = "type")]
    #[schema(example = 1)]
    pub kind: i32,
    /// Its address.
    #[schema(example = "https://support.example.com/chat")]
    pub url: String,
    /// Its label by language.
    #[schema(example = json!({"en": "Live chat"}))]
    pub label: BTreeMap<String, String>,
}

/// The texts that staff edit, as they shall be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ContentRequest {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntryContentInput>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntryContentInput>,
}

impl ContentRequest {
    /// For a service's message.
    pub fn into_proto(self) -> notification::Content {
        let entry = |entry: ServiceEntryContentInput| notification::ServiceEntryContent {
            id: entry.id.unwrap_or_default(),
            r#type: entry.kind,
            url: entry.url,
            label: entry
                .label
                .into_iter()
                .map(|(lang, text)| (lang.code().to_owned(), text))
                .collect(),
        };
        notification::Content {
            customer_service: self.customer_service.into_iter().map(entry).collect(),
            recharge_customer_service: self
                .recharge_customer_service
                .into_iter()
                .map(entry)
                .collect(),
        }
    }
}

/// The texts that staff edit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Content {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntryContent>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntryContent>,
}

impl From<notification::Content> for Content {
    fn from(content: notification::Content) -> Self {
        let entry = |entry: notification::ServiceEntryContent| ServiceEntryContent {
            id: entry.id,
            kind: entry.r#type,
            url: entry.url,
            label: entry.label.into_iter().collect(),
        };
        Self {
            customer_service: content.customer_service.into_iter().map(entry).collect(),
            recharge_customer_service: content
                .recharge_customer_service
                .into_iter()
                .map(entry)
                .collect(),
        }
    }
}

impl UserDetail {
    /// Puts together what auth and wallet know.
    pub fn compose(
        user: UserInfo,
        property: Property,
        sessions: Vec<auth::SessionSummary>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            user,
            property,
            sessions: each(sessions, SessionSummary::from_proto)?,
        })
    }
}
