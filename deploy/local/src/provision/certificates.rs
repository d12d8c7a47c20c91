//! Certificates that outlive a start: the authority's key is kept, and each certificate is renewed
//! in time.

use anyhow::{Context as _, Result};
use chrono::{Months, NaiveDate};
use rcgen::{Issuer, KeyPair};

use super::folder::Folder;
use crate::certificates::{authority_params, certificate_params, end_after};

/// The issuer of all certificates. Another name would need another authority: existing certificates
/// would not be trusted beside new ones.
const AUTHORITY_NAME: &str = "Adfolio";
const AUTHORITY_VALIDITY: Months = Months::new(120);

/// The validity of a certificate …
const VALIDITY: Months = Months::new(12);
/// … and the remaining validity at which it is renewed.
const RENEWAL: Months = Months::new(6);

const AUTHORITY_KEY: &str = "ca.key";
const AUTHORITY_CERTIFICATE: &str = "ca.crt";
const AUTHORITY_END: &str = "ca.end";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";

/// Makes the certificate of `name` in its owner's folder, unless it has one of this authority that
/// is valid long enough. Processes notice the change by themselves.
pub(super) fn renew(authority: &mut Folder, owner: &mut Folder, name: &str) -> Result<()> {
    let (issuer, authority_certificate) = issuer(authority)?;
    let note = format!("{name}.end");
    let lasts = authority.read(&note).is_some_and(|end| lasts(&end));
    let whole = owner.read(CERTIFICATE).is_some() && owner.read(KEY).is_some();
    let same_authority = owner.read(AUTHORITY_CERTIFICATE).as_ref() == Some(&authority_certificate);
    if lasts && whole && same_authority {
        return Ok(());
    }
    let end = end_after(VALIDITY)?;
    let key = KeyPair::generate()?;
    let certificate = certificate_params(name, end)?.signed_by(&key, &issuer)?;
    // A process that reads between these writes keeps its last certificate. The note comes last:
    // after a crash in between everything is written again.
    owner.write(AUTHORITY_CERTIFICATE, &authority_certificate)?;
    owner.write(KEY, &key.serialize_pem())?;
    owner.write(CERTIFICATE, &certificate.pem())?;
    authority.write(&note, &end.to_string())
}

/// The authority and its certificate: the existing one if it outlasts what it signs now.
fn issuer(folder: &mut Folder) -> Result<(Issuer<'static, KeyPair>, String)> {
    let end: Option<NaiveDate> = folder.read(AUTHORITY_END).and_then(|end| end.parse().ok());
    let outlasts = end.is_some_and(|end| end_after(VALIDITY).is_ok_and(|signed| end > signed));
    if let (Some(end), true, Some(key), Some(certificate)) = (
        end,
        outlasts,
        folder.read(AUTHORITY_KEY),
        folder.read(AUTHORITY_CERTIFICATE),
    ) {
        let key = KeyPair::from_pem(&key).context("the authority's key cannot be read")?;
        let params = authority_params(AUTHORITY_NAME, end)?;
        return Ok((Issuer::new(params, key), certificate));
    }
    let end = end_after(AUTHORITY_VALIDITY)?;
    let params = authority_params(AUTHORITY_NAME, end)?;
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?.pem();
    folder.write(AUTHORITY_KEY, &key.serialize_pem())?;
    folder.write(AUTHORITY_CERTIFICATE, &certificate)?;
    folder.write(AUTHORITY_END, &end.to_string())?;
    Ok((Issuer::new(params, key), certificate))
}

/// Whether a certificate that ends on this day need not be renewed yet.
fn lasts(end: &str) -> bool {
    let end: Result<NaiveDate, _> = end.parse();
    matches!((end, end_after(RENEWAL)), (Ok(end), Ok(soon)) if end > soon)
}
