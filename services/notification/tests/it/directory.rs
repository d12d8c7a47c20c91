//! Stands in for auth: says who exists, and since when.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use adfolio_testkit::{free_listener, instant};
use chrono::{DateTime, Utc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// What a test says of users. Everybody exists since long ago, unless something else is said.
#[derive(Debug, Default)]
struct Said {
    since: HashMap<String, Option<DateTime<Utc>>>,
    dead: bool,
    largest: usize,
}

/// auth as far as this service knows it.
#[derive(Clone, Debug)]
pub struct Directory {
    pub url: String,
    said: Arc<Mutex<Said>>,
}

impl Directory {
    pub async fn start() -> Self {
        let listener = free_listener().await;
        let directory = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            said: Arc::default(),
        };
        let served = tonic::transport::Server::builder()
            .add_service(UserDirectoryServiceServer::new(directory.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(served);
        directory
    }

    pub fn nobody(&self, id: &str) {
        self.said.lock().unwrap().since.insert(id.to_owned(), None);
    }

    pub fn since(&self, id: &str, time: DateTime<Utc>) {
        let mut said = self.said.lock().unwrap();
        said.since.insert(id.to_owned(), Some(time));
    }

    pub fn die(&self, dead: bool) {
        self.said.lock().unwrap().dead = dead;
    }

    /// Users of the largest look-up so far.
    pub fn largest(&self) -> usize {
        self.said.lock().unwrap().largest
    }
}

#[tonic::async_trait]
impl UserDirectoryService for Directory {
    async fn look_up_users(
        &self,
        request: Request<auth::LookUpUsersRequest>,
    ) -> Result<Response<auth::LookUpUsersResponse>, Status> {
        let ids = request.into_inner().user_ids;
        let mut said = self.said.lock().unwrap();
        if said.dead {
            return Err(Status::unavailable("gone"));
        }
        said.largest = said.largest.max(ids.len());
        let known = ids.into_iter().filter_map(|user_id| {
            let since = match said.since.get(&user_id) {
                Some(since) => (*since)?,
                None => instant("2026-01-01T00:00:00Z"),
            };
            Some(auth::UserSummary {
                user_id,
                created_at: Some(since.into()),
                ..auth::UserSummary::default()
            })
        });
        let users = known.collect();
        Ok(Response::new(auth::LookUpUsersResponse { users }))
    }
}
