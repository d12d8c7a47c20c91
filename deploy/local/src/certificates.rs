//! A certificate for each program of a stack, of an authority that is as old as the stack's start.
//!
//! The authority's key is never written: nobody can make a further certificate, and each start makes all of them anew. (For
//! containers, which start one by one, [`crate::provision`] keeps it.)

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use chrono::{Datelike as _, Months, NaiveDate, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::component::Service;
use crate::layout::Layout;

/// The command line, and the adapter of an ad network, which call services and are none.
const CALLERS: [&str; 2] = ["adfolioctl", "network"];

/// A stack that runs for longer needs a restart.
const VALIDITY: Months = Months::new(24);

const AUTHORITY: &str = "tls-ca.pem";

/// The files of one program's certificate, as services are configured with them.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authority of all.
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

    /// The variables that name them.
    pub fn variables(&self) -> [(&'static str, &PathBuf); 3] {
        [
            ("TLS_CERT_FILE", &self.certificate),
            ("TLS_KEY_FILE", &self.key),
            ("TLS_CA_FILE", &self.authority),
        ]
    }
}

/// Makes an authority, and certificates for everything that calls or is called.
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

/// The names of all that call or are called.
pub(crate) fn callers() -> impl Iterator<Item = &'static str> {
    Service::ALL.map(Service::name).into_iter().chain(CALLERS)
}

/// The day on which something ends that is made now.
pub(crate) fn end_after(validity: Months) -> Result<NaiveDate> {
    let today = Utc::now().date_naive();
    today
        .checked_add_months(validity)
        .context("the calendar ends")
}

/// What an authority says of itself. It signs callers only, never a further authority.
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

/// What a caller's certificate says: its name, and that it serves both ends of a connection.
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
