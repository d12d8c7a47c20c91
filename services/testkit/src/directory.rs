//! A stand-in for auth's user directory.

use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::free_listener;

/// The user whom the directory does not know.
pub const NOBODY: &str = "00000000-0000-7000-8000-00000000dead";

/// Knows every user but [`NOBODY`].
struct Directory;

#[tonic::async_trait]
impl UserDirectoryService for Directory {
    async fn look_up_users(
        &self,
        request: Request<proto::LookUpUsersRequest>,
    ) -> Result<Response<proto::LookUpUsersResponse>, Status> {
        let ids = request.into_inner().user_ids.into_iter();
        let users = ids
            .filter(|id| id != NOBODY)
            .map(|user_id| proto::UserSummary {
                user_id,
                ..proto::UserSummary::default()
            })
            .collect();
        Ok(Response::new(proto::LookUpUsersResponse { users }))
    }
}

/// Serves a directory that knows every user but [`NOBODY`]; answers its URL.
pub async fn serve_directory() -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().expect("a bound address"));
    let served = tonic::transport::Server::builder()
        .add_service(UserDirectoryServiceServer::new(Directory))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(served);
    url
}
