//! The edge, with the same configuration as the image.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;

use crate::component::{Component, Service};
use crate::layout::Layout;
use crate::ports::{Ports, loopback};
use crate::process::{Launch, Unit, find_program};

const TEMPLATE: &str = include_str!("../../../nginx/nginx.conf.template");
/// Debian's list of media types.
const MIME_TYPES: &str = "/etc/nginx/mime.types";
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// The settings of the edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// Who may show the client in a frame, as in the policy.
    pub(crate) frame_ancestors: &'a str,
    /// Network of trusted proxies in front, which may report the client's address.
    pub(crate) proxies_in_front: Option<&'a str>,
}

/// Writes the configuration and describes the server.
pub(crate) fn prepare(
    layout: &Layout,
    ports: &Ports,
    web: &Path,
    surroundings: Surroundings<'_>,
) -> Result<Unit> {
    let Some(program) = find_program("nginx") else {
        bail!("nginx is not installed: `make up` installs it");
    };
    let folder = layout.folder(Component::Nginx.name());
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let configuration = folder.join("nginx.conf");
    let text = render(layout, ports, web, &folder, surroundings)?;
    fs::write(&configuration, text)
        .with_context(|| format!("cannot write {}", configuration.display()))?;
    let mut launch = Launch::new(program, &folder)
        .args(["-c".into(), configuration.into_os_string()])
        .args(["-p".into(), folder.into_os_string()])
        .args(["-g", "daemon off;"]);
    // The master stops its workers on this signal; SIGKILL would orphan them.
    launch.death_signal = Signal::SIGTERM;
    Ok(Unit {
        component: Component::Nginx,
        launch,
        probe: ports.listener(Component::Nginx, layout)?.1,
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    })
}

fn render(
    layout: &Layout,
    ports: &Ports,
    web: &Path,
    folder: &Path,
    surroundings: Surroundings<'_>,
) -> Result<String> {
    let frame_ancestors = surroundings.frame_ancestors;
    // It becomes part of a policy header: it must end neither the directive nor the string.
    if frame_ancestors.contains(['"', ';', ',', '$', '\n']) {
        bail!("no sources of frames: {frame_ancestors}");
    }
    let real_ip = surroundings
        .proxies_in_front
        .map_or_else(|| Ok(String::new()), trust_proxies)?;
    let path = |path: &Path| path.display().to_string();
    // Workers run under the same account as everything else: the web files may be unreadable for
    // others.
    let account = if geteuid().is_root() {
        "user root;"
    } else {
        ""
    };
    let log = path(&layout.log(Component::Nginx.name()));
    let values = [
        ("NGINX_ACCOUNT", account.to_owned()),
        ("NGINX_LISTEN", loopback(ports.http).to_string()),
        ("NGINX_PID_FILE", path(&folder.join("nginx.pid"))),
        ("NGINX_TEMP_FOLDER", path(folder)),
        ("NGINX_MIME_TYPES", MIME_TYPES.to_owned()),
        ("NGINX_ACCESS_LOG", log.clone()),
        ("NGINX_ERROR_LOG", log),
        ("NGINX_WEB_ROOT", path(web)),
        (
            "NGINX_GATEWAYS",
            servers(&ports.listen_addresses(Service::Gateway)),
        ),
        (
            "NGINX_GATEWAY_ADMINS",
            servers(&ports.admin_addresses(Service::Gateway)),
        ),
        ("NGINX_REAL_IP", real_ip),
        ("NGINX_FRAME_ANCESTORS", frame_ancestors.to_owned()),
    ];
    let mut text = TEMPLATE.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("${{{name}}}"), &value);
    }
    if let Some((_, rest)) = text.split_once("${NGINX_") {
        bail!(
            "the nginx configuration has an unknown variable NGINX_{}",
            rest.split('}').next().unwrap_or_default()
        );
    }
    Ok(text)
}

/// The directives that trust proxies of this network to report the client's address.
fn trust_proxies(network: &str) -> Result<String> {
    let plain = |byte: u8| byte.is_ascii_hexdigit() || b".:/".contains(&byte);
    if !network.bytes().all(plain) {
        bail!("invalid network of proxies: {network}");
    }
    Ok(format!(
        "set_real_ip_from {network}; real_ip_header X-Forwarded-For;"
    ))
}

/// The directives with the servers of an upstream.
fn servers(addresses: &[SocketAddr]) -> String {
    let servers: Vec<String> = addresses
        .iter()
        .map(|address| format!("server {address} max_fails=0;"))
        .collect();
    servers.join(" ")
}
