//! A certificate for each program of a stack, from an authority created at the stack's start.
//!
//! The authority's key is never written, so nobody can issue further certificates, and each start
//! issues all of them again. (For containers, which start one by one, [`crate::provision`] keeps
//! it.)

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chrono::{Datelike as _, Months, NaiveDate, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::component::Service;
use crate::layout::Layout;

/// Callers that are not services: the command line, and the adapter of an ad network.
const CALLERS: [&str; 2] = ["adfolioctl", "network"];

/// A stack that runs longer needs a restart.
const VALIDITY: Months = Months::new(24);

const AUTHORITY: &str = "tls-ca.pem";

/// The files of a program's certificate, as in the configuration of a service.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The certificate of the authority.
    pub authority: PathBuf,
}

impl TlsFiles {
    /// The files of `name` in this data directory.
    pub(crate) fn of(layout: &Layout, name: &str) -> Self {
        let folder = layout.secrets();
        Self {
            certificate: folder.join(format!("tls-{name}.pem")),
            key: folder.join(format!("tls-{name}.key")),
            authority: folder.join(AUTHORITY),
        }
    }

    /// The variables that name the files.
    pub fn variables(&self) -> [(&'static str, &PathBuf); 3] {
        [
            ("TLS_CERT_FILE", &self.certificate),
            ("TLS_KEY_FILE", &self.key),
            ("TLS_CA_FILE", &self.authority),
        ]
    }
}

/// Makes an authority, and certificates for all services and callers.
pub(crate) fn make(layout: &Layout) -> Result<()> {
    let end = end_after(VALIDITY)?;
    let params = authority_params("Adfolio on this machine", end)?;
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    layout.write_secret(AUTHORITY, &authority.pem())?;
    for name in callers() {
        let key = KeyPair::generate()?;
        let certificate = certificate_params(name, end)?.signed_by(&key, &authority)?;
        layout.write_secret(&format!("tls-{name}.pem"), &certificate.pem())?;
        layout.write_secret(&format!("tls-{name}.key"), &key.serialize_pem())?;
    }
    Ok(())
}

/// Removes the certificate of a person at this machine, which an earlier start with TLS has made: the command line takes
/// it for the sign that the services want it.
pub(crate) fn forget(layout: &Layout) -> Result<()> {
    for name in CALLERS {
        match fs::remove_file(layout.secrets().join(format!("tls-{name}.pem"))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error)
                    .with_context(|| format!("cannot remove the certificate of {name}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names of all services and callers.
pub(crate) fn callers() -> impl Iterator<Item = &'static str> {
    Service::ALL.map(Service::name).into_iter().chain(CALLERS)
}

/// The last day of something made now.
pub(crate) fn end_after(validity: Months) -> Result<NaiveDate> {
    let today = Utc::now().date_naive();
    today
        .checked_add_months(validity)
        .context("the calendar ends")
}

/// The parameters of an authority. It signs leaf certificates only, never another authority.
pub(crate) fn authority_params(name: &str, end: NaiveDate) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(Vec::new())?;
    params
        .distinguished_name
        .push(DnType::CommonName, name.to_owned());
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    limit(&mut params, end)?;
    Ok(params)
}

/// The parameters of a leaf certificate: its name, for both ends of a connection.
pub(crate) fn certificate_params(name: &str, end: NaiveDate) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(vec![name.to_owned()])?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    limit(&mut params, end)?;
    Ok(params)
}

fn limit(params: &mut CertificateParams, end: NaiveDate) -> Result<()> {
    params.not_after = date_time_ymd(
        end.year(),
        u8::try_from(end.month())?,
        u8::try_from(end.day())?,
    );
    Ok(())
}

/// The scheme of a service's URL.
pub(crate) const fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}
