//! A certificate for each program of a stack, of an authority that is as old as the stack's start.
//!
//! The authority's key is never written: nobody can make a further certificate, and each start makes all of them anew.

use std::path::PathBuf;

use anyhow::Result;
use chrono::{Datelike as _, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::component::Service;
use crate::layout::Layout;

/// The command line, and the adapter of an ad network, which call services and are none.
const CALLERS: [&str; 2] = ["adfolioctl", "network"];

/// A stack that runs for longer needs a restart.
const YEARS_VALID: i32 = 2;

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
    let last_year = Utc::now().year() + YEARS_VALID;
    let mut params = CertificateParams::new(Vec::new())?;
    params
        .distinguished_name
        .push(DnType::CommonName, "Adfolio on this machine");
    params.not_after = date_time_ymd(last_year, 1, 1);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    layout.write_secret(AUTHORITY, &authority.pem())?;
    for name in Service::ALL.map(Service::name).into_iter().chain(CALLERS) {
        let mut params = CertificateParams::new(vec![name.to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_after = date_time_ymd(last_year, 1, 1);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &authority)?;
        layout.write_secret(&format!("tls-{name}.pem"), &certificate.pem())?;
        layout.write_secret(&format!("tls-{name}.key"), &key.serialize_pem())?;
    }
    Ok(())
}
