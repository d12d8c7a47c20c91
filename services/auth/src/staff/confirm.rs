//! Confirming that another person than its maker holds an account.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::json;
use tracing::info;

use super::change::{admit_in_tx, lock_in_tx};
use super::entity::{Act, StaffMember};
use super::pair::{Kin, SecondPair};
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;

/// What a refusal names where one person may hold the account and the confirming one.
const MADE_BY: &str = "made_by";

/// Confirms an account: from now on it is a person beside the other accounts of its maker. The confirming member must be
/// the second pair of eyes of the maker, and nobody who may hold the account.
pub async fn confirm(app: &App, act: Act) -> Result<StaffMember, AuthError> {
    let (by, on) = (act.by.id, act.on);
    let now = app.clock.now();
    let member = app
        .write(move |tx| Box::pin(async move { confirm_in_tx(tx, &act, now).await }))
        .await?;
    info!(staff = %by, action = "confirm staff", target = %on, "staff action");
    Ok(member)
}

async fn confirm_in_tx(
    tx: &mut Tx,
    act: &Act,
    now: DateTime<Utc>,
) -> Result<StaffMember, AuthError> {
    admit_in_tx(tx, act).await?;
    let mut member = lock_in_tx(tx, act.on).await?;
    let by = StaffId(act.by.id);
    let maker = member.confirm(by)?;
    let kin = repo::find_kin(&mut *tx, &[by, maker, act.on], now).await?;
    let has_account = repo::exists_in_tx(tx, by).await?;
    if ![maker, act.on]
        .iter()
        .all(|other| may_confirm(&kin, *other, by, has_account, now))
    {
        let refusal = Refusal::new(Reason::Forbidden).field(MADE_BY);
        return Err(refusal.detail("one person may hold both accounts").into());
    }
    repo::save_confirmation_in_tx(tx, &member, now).await?;
    audit::Entry::new("auth.confirm_staff", act.on)
        .reason(act.reason.as_str())
        .after(&json!({"made_by": maker.to_string()}))?
        .record_in_tx(tx, &act.caller, now)
        .await?;
    Ok(member)
}

/// adfolioctl has no account, and is no kin but of what it made.
fn may_confirm(kin: &Kin, of: StaffId, by: StaffId, has_account: bool, now: DateTime<Utc>) -> bool {
    if has_account {
        kin.second_pair(of, by, now) == SecondPair::Yes
    } else {
        of != by && !kin.are_related(of, by, now)
    }
}
