//! A stand-in for auth.

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use adfolio_testkit::free_listener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// The user whom auth does not know.
pub const NOBODY: &str = "00000000-0000-7000-8000-00000000dead";

/// Knows everybody but [`NOBODY`].
struct Directory;

#[tonic::async_trait]
impl UserDirectoryService for Directory {
    async fn look_up_users(
        &self,
        request: Request<auth::LookUpUsersRequest>,
    ) -> Result<Response<auth::LookUpUsersResponse>, Status> {
        let ids = request.into_inner().user_ids.into_iter();
        let users = ids
            .filter(|id| id != NOBODY)
            .map(|user_id| auth::UserSummary {
                user_id,
                ..auth::UserSummary::default()
            })
            .collect();
        Ok(Response::new(auth::LookUpUsersResponse { users }))
    }
}

pub async fn serve_directory() -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = tonic::transport::Server::builder()
        .add_service(UserDirectoryServiceServer::new(Directory))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(served);
    url
}
