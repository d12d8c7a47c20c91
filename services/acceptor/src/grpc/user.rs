//! What users ask of acceptors.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::acceptance::{Acceptances, Code};

/// The calls of users.
#[derive(Debug)]
pub struct UserCalls {
    acceptances: Acceptances,
}

impl UserCalls {
    /// On these use cases.
    pub fn new(acceptances: Acceptances) -> Self {
        Self { acceptances }
    }
}

#[tonic::async_trait]
impl AcceptorService for UserCalls {
    async fn get_acceptor_detail(
        &self,
        request: Request<pb::GetAcceptorDetailRequest>,
    ) -> Result<Response<pb::GetAcceptorDetailResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let kind = convert::kind_from_wire(request.kind)?;
        if request.code.trim().is_empty() {
            return Err(Refusal::invalid("code").into());
        }
        let acceptance = self
            .acceptances
            .look_up(user, kind, Code::typed(&request.code))
            .await
            .map_err(|error| error.into_status("get_acceptor_detail"))?;
        Ok(Response::new(pb::GetAcceptorDetailResponse {
            acceptor: Some(convert::acceptor(&acceptance.acceptor)),
            offer: Some(convert::offer(&acceptance.offer)),
        }))
    }
}
