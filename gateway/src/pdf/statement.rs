//! The statement of a month: what moved the available funds, in the caller's language and time zone.

use adfolio_kit::time_zone::TimeZone;
use chrono::{DateTime, Utc};

use super::fonts::Weight;
use super::paper::{self, BOTTOM, MARGIN, RIGHT, Sheet, Style};
use crate::dto::Money;
use crate::dto::wallet::{FlowEntry, FlowType};
use crate::errors::Failure;
use crate::lang::Lang;
use crate::messages::statement_text;

const TITLE: Style = Style {
    size: 18.0,
    weight: Weight::Bold,
    gray: 0,
};

const TEXT: Style = Style {
    size: 8.5,
    weight: Weight::Regular,
    gray: 0,
};

const STRONG: Style = Style {
    weight: Weight::Bold,
    ..TEXT
};

const FAINT: Style = Style { gray: 90, ..TEXT };

/// Height of a line of text.
const LINE: f32 = 14.0;

/// Height of a row of the table.
const ROW: f32 = 17.0;

/// Where the columns begin, and where those of amounts end.
const MOVEMENT: f32 = MARGIN + 80.0;
const REFERENCE: f32 = MARGIN + 216.0;
const AMOUNT_END: f32 = RIGHT - 74.0;

/// Between columns.
const GAP: f32 = 8.0;

/// Everything that a statement says.
pub struct Statement {
    /// Of its words and amounts.
    pub lang: Lang,
    /// Of its times and of the month.
    pub zone: TimeZone,
    /// `YYYY-MM`.
    pub month: String,
    /// ISO 4217.
    pub currency: String,
    /// Whose it is, by name.
    pub username: String,
    /// And by id.
    pub user_id: String,
    /// When it was made.
    pub drawn_up: DateTime<Utc>,
    /// The available funds before the first entry, in minor units.
    pub opening: i64,
    /// And after the last, in minor units.
    pub closing: i64,
    /// Oldest first.
    pub entries: Vec<FlowEntry>,
}

impl Statement {
    /// As a PDF.
    pub fn print(&self) -> Result<Vec<u8>, Failure> {
        let title = format!("{} {}", self.word("title"), self.month);
        paper::print(&self.sheets()?, &title, self.lang)
    }

    fn word(&self, key: &str) -> &'static str {
        statement_text(self.lang, key)
    }

    /// Its sheets, before they are printed.
    pub fn sheets(&self) -> Result<Vec<Sheet>, Failure> {
        let mut sheets = Vec::new();
        let mut sheet = Sheet::default();
        let mut y = self.head(&mut sheet)?;
        self.columns(&mut sheet, &mut y)?;
        if self.entries.is_empty() {
            sheet.text((MARGIN, y), self.word("nothing"), TEXT, RIGHT - MARGIN)?;
        }
        for entry in &self.entries {
            // Below the last row there is the foot.
            if y > BOTTOM - 2.0 * ROW {
                sheets.push(std::mem::take(&mut sheet));
                y = MARGIN + LINE;
                self.columns(&mut sheet, &mut y)?;
            }
            self.row(&mut sheet, y, entry)?;
            y += ROW;
        }
        if let Some(last) = self.entries.last() {
            if y > BOTTOM - 3.0 * ROW {
                sheets.push(std::mem::take(&mut sheet));
                y = MARGIN + LINE;
            }
            let hash = format!("{} {}", self.word("last_hash"), last.hash);
            sheet.text((MARGIN, y + LINE), &hash, FAINT, RIGHT - MARGIN)?;
        }
        sheets.push(sheet);
        let pages = sheets.len();
        for (index, sheet) in sheets.iter_mut().enumerate() {
            let number = self.word("page");
            let number = number.replace("{page}", &(index + 1).to_string());
            let number = number.replace("{pages}", &pages.to_string());
            sheet.text_to((RIGHT, BOTTOM), &number, FAINT)?;
            sheet.text((MARGIN, BOTTOM), "Adfolio", FAINT, RIGHT - MARGIN)?;
        }
        Ok(sheets)
    }

    /// Title, whose statement it is, and the balances. Answers where it ends.
    fn head(&self, sheet: &mut Sheet) -> Result<f32, Failure> {
        let mut y = MARGIN + TITLE.size;
        let title = format!("{} {}", self.word("title"), self.month);
        sheet.text((MARGIN, y), &title, TITLE, RIGHT - MARGIN)?;
        y += 2.0 * LINE;
        let (incoming, outgoing) = self.totals()?;
        let drawn_up = self.time(self.drawn_up);
        let zone = self.zone.to_string();
        let holder = format!("{} ({})", self.username, self.user_id);
        let account = format!("{} ({})", self.word("account"), self.currency);
        for (key, value) in [
            ("customer", holder.as_str()),
            ("times", zone.as_str()),
            ("drawn_up", drawn_up.as_str()),
        ] {
            sheet.text((MARGIN, y), self.word(key), FAINT, MOVEMENT - MARGIN - GAP)?;
            sheet.text((MOVEMENT, y), value, TEXT, RIGHT - MOVEMENT)?;
            y += LINE;
        }
        y += LINE;
        sheet.text((MARGIN, y), &account, STRONG, RIGHT - MARGIN)?;
        y += LINE;
        for (key, minor, style) in [
            ("opening", self.opening, TEXT),
            ("incoming", incoming, TEXT),
            ("outgoing", outgoing, TEXT),
            ("closing", self.closing, STRONG),
        ] {
            sheet.text((MARGIN, y), self.word(key), style, REFERENCE - MARGIN - GAP)?;
            sheet.text_to((REFERENCE + 60.0, y), &self.money(minor), style)?;
            y += LINE;
        }
        Ok(y + 2.0 * LINE)
    }

    fn totals(&self) -> Result<(i64, i64), Failure> {
        let amounts = || self.entries.iter().map(|entry| entry.amount.minor());
        let incoming = Money::sum(amounts().filter(|minor| *minor > 0))?;
        let outgoing = Money::sum(amounts().filter(|minor| *minor < 0))?;
        Ok((incoming.minor(), outgoing.minor()))
    }

    fn columns(&self, sheet: &mut Sheet, y: &mut f32) -> Result<(), Failure> {
        for (x, key, end) in [
            (MARGIN, "time", MOVEMENT),
            (MOVEMENT, "movement", REFERENCE),
            (REFERENCE, "reference", AMOUNT_END - 60.0),
        ] {
            sheet.text((x, *y), self.word(key), STRONG, end - x - GAP)?;
        }
        sheet.text_to((AMOUNT_END, *y), self.word("amount"), STRONG)?;
        sheet.text_to((RIGHT, *y), self.word("balance"), STRONG)?;
        sheet.rule(*y + 5.0);
        *y += ROW + 3.0;
        Ok(())
    }

    fn row(&self, sheet: &mut Sheet, y: f32, entry: &FlowEntry) -> Result<(), Failure> {
        let time = self.time(entry.time.instant());
        sheet.text((MARGIN, y), &time, TEXT, MOVEMENT - MARGIN - GAP)?;
        let word = self.word(word_of(entry));
        sheet.text((MOVEMENT, y), word, TEXT, REFERENCE - MOVEMENT - GAP)?;
        let amount = self.money(entry.amount.minor());
        sheet.text_to((AMOUNT_END, y), &amount, TEXT)?;
        let width = Weight::Regular.typeface()?.width(&amount, TEXT.size);
        let end = AMOUNT_END - width;
        let reference = reference_of(entry);
        sheet.text((REFERENCE, y), &reference, TEXT, end - REFERENCE - GAP)?;
        let balance = self.money(entry.balance_after.minor());
        sheet.text_to((RIGHT, y), &balance, TEXT)
    }

    /// In the statement's time zone, to the minute.
    fn time(&self, instant: DateTime<Utc>) -> String {
        let local = self.zone.local(instant);
        local.format("%Y-%m-%d %H:%M").to_string()
    }

    /// As people of the language write amounts.
    fn money(&self, minor: i64) -> String {
        let (group, point) = match self.lang {
            Lang::De | Lang::Spa | Lang::Pt | Lang::Vi => ('.', ','),
            Lang::Fr | Lang::Ru => ('\u{a0}', ','),
            Lang::Cht | Lang::En | Lang::Jp | Lang::Kor | Lang::Th | Lang::Zh => (',', '.'),
        };
        let sign = if minor < 0 { "\u{2212}" } else { "" };
        let units = (minor.unsigned_abs() / 100).to_string();
        let cents = minor.unsigned_abs() % 100;
        let mut text = String::new();
        for (index, digit) in units.chars().enumerate() {
            if index > 0 && (units.len() - index).is_multiple_of(3) {
                text.push(group);
            }
            text.push(digit);
        }
        format!("{sign}{text}{point}{cents:02}")
    }
}

/// What an entry of the available funds is called, by its type and sign.
fn word_of(entry: &FlowEntry) -> &'static str {
    let is_outgoing = entry.amount.minor() < 0;
    match (entry.kind, is_outgoing) {
        (FlowType::AdServing, true) => "word.budget_paid",
        (FlowType::AdServing, false) => "word.budget_back",
        (FlowType::ProfitSharing, _) => "word.revenue_paid_out",
        (FlowType::ManualPayout, true) => "word.manual_payout",
        (FlowType::ManualPayout, false) => "word.withdrawal_back",
        (FlowType::Exchange, true) => "word.exchange_out",
        (FlowType::Exchange, false) => "word.exchange_in",
        (FlowType::StartUpFunds, true) => "word.lent_back",
        (FlowType::StartUpFunds, false) => "word.lent",
        (FlowType::Guarantee, true) => "word.guarantee_paid",
        (FlowType::Guarantee, false) => "word.guarantee_back",
        (FlowType::SystemTopUp, _) => "word.system_top_up",
        (FlowType::SystemChargeback, _) => "word.system_chargeback",
        (FlowType::VirtualRechargeDeduction, _) => "word.virtual_recharge_deduction",
        (FlowType::OpenMembership, _) => "word.open_membership",
        // These move other balances.
        (FlowType::AdBilling | FlowType::DiscountAmount, _) => "movement",
    }
}

/// What it belongs to: a plan, its number first, because a long name is cut; or the remark of staff.
fn reference_of(entry: &FlowEntry) -> String {
    match (&entry.plan, &entry.remark) {
        (Some(plan), _) => format!("{} · {}", plan.plan_number, plan.product),
        (None, Some(remark)) => remark.clone(),
        (None, None) => String::new(),
    }
}
