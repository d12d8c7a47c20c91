//! A push service as browsers have one: it takes messages for them, or answers what a test wants.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use adfolio_testkit::eventually;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::{Auth, decrypt};

const KEY_FILE: &str = "vapid.pem";

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The last part of the address that it came to.
    pub browser: String,
    pub headers: HeaderMap,
    body: Bytes,
}

impl Arrived {
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    /// The claims of its signature, which is by this key.
    pub fn claims(&self, public_key: &[u8]) -> Value {
        let authorization = self.header("authorization");
        let (token, key) = authorization
            .strip_prefix("vapid t=")
            .and_then(|rest| rest.split_once(", k="))
            .unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(key).unwrap(), public_key);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public_key)
            .verify(signed.as_bytes(), &signature)
            .unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let read = |part: &str| -> Value {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        assert_eq!(read(header)["alg"], "ES256");
        read(claims)
    }
}

/// What is answered for a browser: a status, and how long to wait.
type Mood = (StatusCode, Option<&'static str>);

#[derive(Default)]
struct Shared {
    arrived: Mutex<Vec<Arrived>>,
    moods: Mutex<HashMap<String, Mood>>,
}

/// It ends with the test.
pub struct PushServer {
    /// Has the key that a sender signs with.
    folder: TempDir,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl PushServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let folder = tempfile::tempdir().unwrap();
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
        std::fs::write(folder.path().join(KEY_FILE), key.serialize_pem()).unwrap();
        let routes = Router::new()
            .route("/push/{browser}", post(take))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self {
            folder,
            address,
            shared,
        }
    }

    pub fn key_file(&self) -> PathBuf {
        self.folder.path().join(KEY_FILE)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it answers so for this browser.
    pub fn answer(&self, browser: &Browser, status: StatusCode, retry_after: Option<&'static str>) {
        let mut moods = self.shared.moods.lock().unwrap();
        moods.insert(browser.name.clone(), (status, retry_after));
    }

    /// Everything so far, including what it did not take.
    pub fn arrived(&self) -> Vec<Arrived> {
        self.shared.arrived.lock().unwrap().clone()
    }

    /// Waits until so many have come.
    pub async fn wait_for(&self, count: usize) -> Vec<Arrived> {
        eventually(&format!("{count} messages"), || async {
            self.arrived().len() >= count
        })
        .await;
        let arrived = self.arrived();
        assert_eq!(arrived.len(), count, "{arrived:?}");
        arrived
    }

    /// A browser that takes messages here.
    pub fn browser(&self, name: &str) -> Browser {
        let mut secret = [7; 32];
        for (byte, letter) in secret.iter_mut().zip(name.bytes()) {
            *byte = letter;
        }
        Browser {
            name: name.to_owned(),
            endpoint: format!("{}/push/{name}", self.origin()),
            secret: SecretKey::from_slice(&secret).unwrap(),
            auth: Auth::from([9; 16]),
        }
    }
}

async fn take(
    State(shared): State<Arc<Shared>>,
    Path(browser): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mood = shared.moods.lock().unwrap().get(&browser).copied();
    shared.arrived.lock().unwrap().push(Arrived {
        browser,
        headers,
        body,
    });
    match mood {
        None => StatusCode::CREATED.into_response(),
        Some((status, None)) => status.into_response(),
        Some((status, Some(wait))) => (status, [("Retry-After", wait)]).into_response(),
    }
}

/// A browser with its keys.
#[derive(Clone)]
pub struct Browser {
    pub name: String,
    pub endpoint: String,
    secret: SecretKey,
    auth: Auth,
}

impl Browser {
    pub fn p256dh(&self) -> Vec<u8> {
        let point = self.secret.public_key().to_encoded_point(false);
        point.as_bytes().to_vec()
    }

    pub fn auth(&self) -> Vec<u8> {
        self.auth.to_vec()
    }

    /// Reads a message as this browser does.
    pub fn read(&self, message: &Arrived) -> Value {
        assert_eq!(message.browser, self.name);
        assert_eq!(message.header("content-encoding"), "aes128gcm");
        let text = decrypt(message.body.to_vec(), &self.secret, &self.auth).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}
