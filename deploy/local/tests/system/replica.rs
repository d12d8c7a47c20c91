//! An additional gateway beside a stack's own, like another replica.

use std::{fs::File, process::Stdio};

use adfolio_local::{Service, Stack};
use adfolio_testkit::{eventually, free_listener};
use tokio::process::{Child, Command};

use crate::{client::Client, setup::programs};

/// A running gateway. Dropping it kills it.
pub struct Replica {
    /// A caller without a token, who only uses this gateway.
    pub anyone: Client,
    _process: Child,
}

impl Replica {
    /// Starts one with its own variables, and waits until it is ready.
    pub async fn start(stack: &Stack, name: &str, settings: &[(&str, &str)]) -> Self {
        let (address, admin) = (free_address().await, free_address().await);
        let log = File::create(stack.data_dir().join(format!("{name}.log"))).unwrap();
        let program = programs().join("adfolio-gateway");
        // It ends with the test, even if the test is killed.
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&program)
            .env("LISTEN_ADDR", &address)
            .env("ADMIN_ADDR", &admin)
            .env(
                "AMQP_URL",
                stack.service_amqp_url(Service::Gateway).unwrap(),
            )
            .env("UPLOAD_DIR", stack.data_dir().join("uploads"))
            .env("FLOOD_LIMIT_PER_SECOND", "0")
            .env("FLOOD_LIMIT_SESSION_PER_SECOND", "0")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true);
        for service in Service::ALL {
            let variable = format!("{}_URL", service.name().to_uppercase());
            command.env(variable, stack.grpc_url(service));
        }
        if let Some(files) = stack.tls_files(Service::Gateway.name()) {
            command.envs(files.variables());
        }
        let process = command.spawn().unwrap();
        let ready = format!("http://{admin}/readyz");
        eventually("the further gateway is ready", || async {
            let answer = reqwest::get(&ready).await;
            answer.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
        Self {
            anyone: Client::new(&format!("http://{address}")),
            _process: process,
        }
    }
}

/// Nothing listens there now.
async fn free_address() -> String {
    free_listener().await.local_addr().unwrap().to_string()
}
