//! The first members of staff and the demo data, made with the operator's command line.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;
use tokio::time::timeout;

use crate::layout::Layout;
use crate::process::spawn_tied;

pub(crate) const ADMIN_USERNAME: &str = "admin";
/// The second admin of the demo, who decides about what the first one asks for. As harmless as the first one's default.
pub(crate) const SECOND_ADMIN_USERNAME: &str = "admin2";
pub(crate) const SECOND_ADMIN_PASSWORD: &str = "adfolio-admin2";
/// Far longer than the demo data take on a slow machine.
const OPERATOR_LIMIT: Duration = Duration::from_mins(2);
const LOG: &str = "adfolioctl";

/// Creates the admin, and with `two` the second one, unless they exist.
pub(crate) async fn create_admins(
    operator: Command,
    layout: &Layout,
    password: &str,
    two: bool,
) -> Result<()> {
    let file = layout.write_secret("admin-password", password)?;
    let file = file.display().to_string();
    let mut arguments = vec![
        "staff",
        "create",
        "--username",
        ADMIN_USERNAME,
        "--role",
        "admin",
        "--password-file",
        &file,
        "--if-missing",
    ];
    let second;
    if two {
        let file = layout.write_secret("admin2-password", SECOND_ADMIN_PASSWORD)?;
        second = file.display().to_string();
        arguments.extend(["--second-username", SECOND_ADMIN_USERNAME]);
        arguments.extend(["--second-password-file", &second]);
    }
    operate(operator, layout, &arguments)
        .await
        .context("cannot create the admins")
}

/// Loads the demo data; idempotent.
pub(crate) async fn load_demo(operator: Command, layout: &Layout) -> Result<()> {
    operate(operator, layout, &["demo", "load"])
        .await
        .context("cannot load the demo data")
}

async fn operate(mut operator: Command, layout: &Layout, arguments: &[&str]) -> Result<()> {
    let log = layout.open_log(LOG)?;
    operator
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true);
    let mut child = spawn_tied(operator).await?;
    let status = timeout(OPERATOR_LIMIT, child.wait())
        .await
        .with_context(|| format!("adfolioctl takes longer than {OPERATOR_LIMIT:?}"))??;
    if !status.success() {
        bail!(
            "adfolioctl {} failed ({status}):\n{}",
            arguments.join(" "),
            layout.log_tail(LOG)
        );
    }
    Ok(())
}
