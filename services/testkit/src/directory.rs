//! A stand-in for auth's directories of users and staff.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adfolio_kit::refusal::Refusal;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::staff_directory_service_server::{
    StaffDirectoryService, StaffDirectoryServiceServer,
};
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use chrono::{DateTime, Utc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::{free_listener, instant};

/// A user that no directory knows.
pub const NOBODY: &str = "00000000-0000-7000-8000-00000000dead";

/// The default creation time of users.
const LONG_AGO: &str = "2026-01-01T00:00:00Z";

/// A directory that knows every user but [`NOBODY`], and in which any two members of staff are two people, unless a test
/// changes that.
#[derive(Clone, Debug)]
pub struct Directory {
    /// Its URL.
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    users: HashMap<String, Option<DateTime<Utc>>>,
    /// E-mail address and language.
    recipients: HashMap<String, (String, String)>,
    /// Codes of mail by their ids.
    email_codes: HashMap<String, String>,
    pairs: HashMap<(String, String), proto::SecondPair>,
    active: i64,
    is_down: bool,
    largest: usize,
}

impl Directory {
    /// Serves a directory on a free port.
    pub async fn start() -> Self {
        let listener = free_listener().await;
        let address = listener.local_addr().expect("a bound address");
        let directory = Self {
            url: format!("http://{address}"),
            state: Arc::default(),
        };
        directory.nobody(NOBODY);
        let served = tonic::transport::Server::builder()
            .add_service(UserDirectoryServiceServer::new(directory.clone()))
            .add_service(StaffDirectoryServiceServer::new(directory.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(served);
        directory
    }

    /// Removes a user.
    pub fn nobody(&self, id: &str) {
        self.state().users.insert(id.to_owned(), None);
    }

    /// Sets when a user was created.
    pub fn since(&self, id: &str, time: DateTime<Utc>) {
        self.state().users.insert(id.to_owned(), Some(time));
    }

    /// Sets where mail to a user, or to a former address of this id, goes and in which language.
    pub fn mail(&self, id: &str, email: &str, lang: &str) {
        let recipient = (email.to_owned(), lang.to_owned());
        self.state().recipients.insert(id.to_owned(), recipient);
    }

    /// Sets the code that a mail brings; none: auth knows of no codes. One of which nothing was said confirms nothing.
    pub fn email_code(&self, id: &str, code: Option<&str>) {
        let code = code.unwrap_or_default().to_owned();
        self.state().email_codes.insert(id.to_owned(), code);
    }

    /// Sets whether a member of staff may decide what another one asked for.
    pub fn pair(&self, asked_by: &str, decided_by: &str, answer: proto::SecondPair) {
        let pair = (asked_by.to_owned(), decided_by.to_owned());
        self.state().pairs.insert(pair, answer);
    }

    /// Sets how many users are active; a test that does not care has none.
    pub fn active(&self, users: i64) {
        self.state().active = users;
    }

    /// Refuses all look-ups as unavailable, or answers them again.
    pub fn die(&self, is_down: bool) {
        self.state().is_down = is_down;
    }

    /// Users of the largest look-up so far.
    pub fn largest(&self) -> usize {
        self.state().largest
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves a [`Directory`] that the test does not change; returns its URL.
pub async fn serve_directory() -> String {
    Directory::start().await.url
}

#[tonic::async_trait]
impl UserDirectoryService for Directory {
    async fn look_up_users(
        &self,
        request: Request<proto::LookUpUsersRequest>,
    ) -> Result<Response<proto::LookUpUsersResponse>, Status> {
        let ids = request.into_inner().user_ids;
        let mut state = self.state();
        if state.is_down {
            return Err(Status::unavailable("gone"));
        }
        state.largest = state.largest.max(ids.len());
        let known = ids.into_iter().filter_map(|user_id| {
            let since = match state.users.get(&user_id) {
                Some(since) => (*since)?,
                None => instant(LONG_AGO),
            };
            Some(proto::UserSummary {
                user_id,
                created_at: Some(since.into()),
                ..proto::UserSummary::default()
            })
        });
        let users = known.collect();
        Ok(Response::new(proto::LookUpUsersResponse { users }))
    }

    async fn count_active_users(
        &self,
        _: Request<proto::CountActiveUsersRequest>,
    ) -> Result<Response<proto::CountActiveUsersResponse>, Status> {
        let state = self.state();
        if state.is_down {
            return Err(Status::unavailable("gone"));
        }
        Ok(Response::new(proto::CountActiveUsersResponse {
            users: state.active,
            more: false,
        }))
    }

    async fn get_mail_recipient(
        &self,
        request: Request<proto::GetMailRecipientRequest>,
    ) -> Result<Response<proto::GetMailRecipientResponse>, Status> {
        let request = request.into_inner();
        let state = self.state();
        if state.is_down {
            return Err(Status::unavailable("gone"));
        }
        let id = if request.former_email_id.is_empty() {
            request.user_id
        } else {
            request.former_email_id
        };
        let recipient = state.recipients.get(&id).cloned();
        let (email, lang) = recipient.ok_or_else(|| Status::from(Refusal::not_found("user_id")))?;
        let email_code = match request.email_code_id.as_str() {
            "" => String::new(),
            id => {
                let code = state.email_codes.get(id).cloned();
                code.ok_or_else(|| Status::from(Refusal::not_found("email_code_id")))?
            }
        };
        Ok(Response::new(proto::GetMailRecipientResponse {
            email,
            lang,
            email_code,
        }))
    }
}

#[tonic::async_trait]
impl StaffDirectoryService for Directory {
    async fn check_second_pair(
        &self,
        request: Request<proto::CheckSecondPairRequest>,
    ) -> Result<Response<proto::CheckSecondPairResponse>, Status> {
        let request = request.into_inner();
        let state = self.state();
        if state.is_down {
            return Err(Status::unavailable("gone"));
        }
        let pair = (request.asked_by_id, request.decided_by_id);
        let answer = state.pairs.get(&pair).copied();
        let answer = answer.unwrap_or(proto::SecondPair::Yes);
        Ok(Response::new(proto::CheckSecondPairResponse {
            answer: answer.into(),
        }))
    }
}
