//! The servers of a database. A URL may name several.

use std::str::FromStr as _;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::PgConnectOptions;

use crate::chaos::Defect;
use crate::config::ConfigError;
use crate::hosts::each_host;

/// Parameters of libpq that say which server is wanted. Kit always wants the primary.
const WANTED: [&str; 2] = ["target_session_attrs", "load_balance_hosts"];

/// The settings of sessions with each server of a database; one server at least.
#[derive(Clone, Debug)]
pub(crate) struct Servers(Arc<[PgConnectOptions]>);

impl Servers {
    /// The servers of a URL (`postgres://user:password@host1:5432,host2:5432/database`); `variable`
    /// names the one that it comes from.
    pub(crate) fn parse(variable: &'static str, url: &SecretString) -> Result<Self, ConfigError> {
        let invalid = || ConfigError::Invalid {
            name: variable,
            expected: "a postgres:// URL with at most 8 hosts",
        };
        let wanted = without_wanted(url.expose_secret());
        let mut urls = each_host(&wanted).ok_or_else(invalid)?;
        if Defect::OneServerKnown.is_enabled() {
            urls.truncate(1);
        }
        let options = urls
            .iter()
            .map(|url| PgConnectOptions::from_str(url))
            .collect::<Result<Arc<[_]>, _>>()
            .map_err(|_| invalid())?;
        Ok(Self(options))
    }

    /// Each server, always in the same order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, PgConnectOptions> {
        self.0.iter()
    }

    /// A server by its index in that order.
    pub(crate) fn get(&self, index: usize) -> &PgConnectOptions {
        &self.0[index]
    }

    /// The first server, which stands for all where only the login matters.
    pub(crate) fn first(&self) -> &PgConnectOptions {
        &self.0[0]
    }

    /// The same servers with other settings.
    pub(crate) fn map(&self, change: impl Fn(PgConnectOptions) -> PgConnectOptions) -> Self {
        Self(self.0.iter().cloned().map(change).collect())
    }
}

impl From<PgConnectOptions> for Servers {
    fn from(options: PgConnectOptions) -> Self {
        Self(Arc::new([options]))
    }
}

/// A URL without the parameters that are libpq's alone.
fn without_wanted(url: &str) -> String {
    let Some((base, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let kept: Vec<_> = query
        .split('&')
        .filter(|pair| {
            !WANTED
                .iter()
                .any(|name| pair.split('=').next() == Some(name))
        })
        .collect();
    match kept.as_slice() {
        [] => base.to_owned(),
        kept => format!("{base}?{}", kept.join("&")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Option<Vec<(String, u16)>> {
        let servers = Servers::parse("DATABASE_URL", &SecretString::from(url)).ok()?;
        let address = |it: &PgConnectOptions| (it.get_host().to_owned(), it.get_port());
        Some(servers.iter().map(address).collect())
    }

    #[test]
    fn each_host_is_a_server_with_the_same_login_and_database() {
        let url = "postgres://wallet:p%2C%40ss@a:1,b,[::1]:3/books?sslmode=require&target_session_attrs=primary";
        let servers = Servers::parse("DATABASE_URL", &SecretString::from(url)).unwrap();
        let seen: Vec<_> = servers
            .iter()
            .map(|it| {
                (
                    it.get_host(),
                    it.get_port(),
                    it.get_username(),
                    it.get_database(),
                )
            })
            .collect();
        let books = Some("books");
        assert_eq!(
            seen,
            [
                ("a", 1, "wallet", books),
                ("b", 5432, "wallet", books),
                ("[::1]", 3, "wallet", books)
            ]
        );
    }

    #[test]
    fn a_url_of_one_host_is_what_it_was() {
        let one = Some(vec![("127.0.0.1".to_owned(), 5432)]);
        assert_eq!(parsed("postgres://wallet@127.0.0.1/books"), one);
        assert_eq!(parsed("postgresql://127.0.0.1:5432"), one);
    }

    #[test]
    fn hosts_that_are_missing_or_too_many_are_refused() {
        for url in [
            "a:1,b:2",
            "postgres://wallet@a,,b/books",
            "postgres://wallet@a,/books",
            "postgres://wallet@a,b,c,d,e,f,g,h,i/books",
            "postgres://wallet@a:port/books",
        ] {
            assert_eq!(parsed(url), None, "{url}");
        }
    }
}
