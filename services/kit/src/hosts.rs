//! URLs that name several hosts, as libpq's may: the client libraries know one host.

/// Most hosts of a URL: a primary and its standbys, or the nodes of a broker.
pub(crate) const HOSTS_LIMIT: usize = 8;

/// A URL for each host of a URL (`scheme://user:password@host1:1,host2:2/path`), in their order.
/// None if one of several is missing, or if there are too many.
pub(crate) fn each_host(url: &str) -> Option<Vec<String>> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (format!("{login}@"), hosts),
        None => (String::new(), authority),
    };
    let hosts: Vec<_> = hosts.split(',').map(str::trim).collect();
    if hosts.len() > HOSTS_LIMIT || (hosts.len() > 1 && hosts.contains(&"")) {
        return None;
    }
    let urls = hosts
        .iter()
        .map(|host| format!("{scheme}://{login}{host}{path}"));
    Some(urls.collect())
}
