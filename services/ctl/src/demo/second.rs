//! The second person of the demo: what takes two members of staff is asked for by adfolioctl and decided as `admin2`.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_proto::auth::v1::ListStaffRequest;
use anyhow::Context as _;
use uuid::Uuid;

use crate::services::{Services, list, operator};

use super::{MOST_ITEMS, whole};

/// The demo's second admin, whom `make up` creates.
const USERNAME: &str = "admin2";

/// adfolioctl on behalf of the demo's second admin.
pub async fn second(services: &Services) -> anyhow::Result<Caller> {
    let message = ListStaffRequest { page: None };
    let staff = whole(list!(
        services.auth_admin,
        list_staff,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    let known = staff.iter().find(|member| member.username == USERNAME);
    let known = known.with_context(|| format!("there is no member of staff {USERNAME}"))?;
    let id: Uuid = known.id.parse().context("a staff id is no UUID")?;
    let staff = Caller::staff(id, StaffRole::Admin).staff;
    Ok(Caller {
        staff,
        ..operator()
    })
}
