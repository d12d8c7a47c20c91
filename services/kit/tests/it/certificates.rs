//! Authorities and certificates for tests of TLS.

use std::path::Path;

use adfolio_kit::{config::TlsArgs, tls::Tls};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use tempfile::TempDir;

/// An authority with its certificates in a folder of its own.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    /// A certificate for `name` that is valid during the test.
    pub fn issue(&self, name: &str) -> TlsArgs {
        self.write(self.folder.path(), name, 4096)
    }

    /// A certificate that expired in 2020.
    pub fn issue_expired(&self, name: &str) -> TlsArgs {
        let folder = self.folder.path().join("expired");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("ca.pem"), self.issuer.pem()).unwrap();
        self.write(&folder, name, 2020)
    }

    /// The result of `issue`, loaded.
    pub fn tls(&self, name: &str) -> Tls {
        load(&self.issue(name))
    }

    /// Replaces the certificate and authority in `files` by those of this authority.
    pub fn replace(&self, files: &TlsArgs, name: &str) {
        let own = self.issue(name);
        for (from, to) in [
            (&own.tls_cert_file, &files.tls_cert_file),
            (&own.tls_key_file, &files.tls_key_file),
            (&own.tls_ca_file, &files.tls_ca_file),
        ] {
            std::fs::copy(from.as_ref().unwrap(), to.as_ref().unwrap()).unwrap();
        }
    }

    fn write(&self, folder: &Path, name: &str, last_year: i32) -> TlsArgs {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_after = date_time_ymd(last_year, 1, 1);
        params.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ServerAuth,
            ExtendedKeyUsagePurpose::ClientAuth,
        ];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let (certificate_file, key_file) = (
            folder.join(format!("{name}.pem")),
            folder.join(format!("{name}.key")),
        );
        std::fs::write(&certificate_file, certificate.pem()).unwrap();
        std::fs::write(&key_file, key.serialize_pem()).unwrap();
        TlsArgs {
            tls_cert_file: Some(certificate_file),
            tls_key_file: Some(key_file),
            tls_ca_file: Some(folder.join("ca.pem")),
        }
    }
}

/// The content of these files.
pub fn load(files: &TlsArgs) -> Tls {
    files.load().unwrap().unwrap()
}
