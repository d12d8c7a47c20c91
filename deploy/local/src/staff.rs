//! The first member of staff and the demo data, made by the operator's own command line.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio::time::timeout;

use crate::builder::ADMIN_USERNAME;
use crate::layout::Layout;
use crate::process::spawn_tied;
use crate::stack::Stack;

/// Far above what the demo data take on a slow machine.
const OPERATOR_LIMIT: Duration = Duration::from_mins(2);
const LOG: &str = "adfolioctl";

/// Creates the admin unless there is one.
pub(crate) async fn create_admin(stack: &Stack, layout: &Layout, password: &str) -> Result<()> {
    let file = layout.write_secret("admin-password", password)?;
    let file = file.display().to_string();
    let arguments = [
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
    operate(stack, layout, &arguments)
        .await
        .context("cannot create the admin")
}

/// Loads the demo data; loading them again changes nothing.
pub(crate) async fn load_demo(stack: &Stack, layout: &Layout) -> Result<()> {
    operate(stack, layout, &["demo", "load"])
        .await
        .context("cannot load the demo data")
}

async fn operate(stack: &Stack, layout: &Layout, arguments: &[&str]) -> Result<()> {
    let log = layout.open_log(LOG)?;
    let mut command = stack.operator_command()?;
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true);
    let mut child = spawn_tied(command).await?;
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
