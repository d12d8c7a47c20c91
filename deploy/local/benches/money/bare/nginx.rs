//! nginx in front, with the stack's settings of connections to the gateway, and no headers, maps or
//! limits.

use std::path::Path;

use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use tokio::process::Command;

use super::tied;

const CONFIGURATION: &str = r#"
ACCOUNT
worker_processes auto;
worker_rlimit_nofile 8192;
pid FOLDER/nginx.pid;
error_log FOLDER/error.log warn;
daemon off;
events {
    worker_connections 4096;
}
http {
    access_log FOLDER/access.log;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    keepalive_timeout 60s;
    upstream gateway {
        server GATEWAY max_fails=0;
        keepalive 64;
        keepalive_timeout 4s;
    }
    server {
        listen LISTEN backlog=1024;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        location / {
            proxy_pass http://gateway;
        }
    }
}
"#;

/// Folders that are often missing in a plain user's PATH.
const PROGRAM_FOLDERS: &str = "/usr/sbin:/usr/local/sbin:/sbin";

/// Writes the configuration into a folder and describes the server.
pub(super) fn command(folder: &Path, listen: &str, gateway: &str) -> Command {
    // Only root may choose the account of the workers, which must reach the folder.
    let account = if geteuid().is_root() {
        "user root;"
    } else {
        ""
    };
    let text = CONFIGURATION
        .replace("ACCOUNT", account)
        .replace("FOLDER", folder.to_str().unwrap())
        .replace("LISTEN", listen)
        .replace("GATEWAY", gateway);
    let file = folder.join("nginx.conf");
    std::fs::write(&file, text).unwrap();
    let mut command = tied("nginx", Signal::SIGTERM);
    command
        .arg("-p")
        .arg(folder)
        .arg("-c")
        .arg(file)
        .arg("-e")
        .arg(folder.join("error.log"))
        .env(
            "PATH",
            format!("{}:{PROGRAM_FOLDERS}", super::variable("PATH")),
        );
    command
}
