//! Four eyes: auth's answer to whether two accounts of staff are two people.

use std::time::Duration;

use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::staff_directory_service_client::StaffDirectoryServiceClient;
use uuid::Uuid;

use crate::call;
use crate::client::{Call, Channel, ClientOptions, connect_to};
use crate::config::ConfigError;
use crate::error::CoreError;
use crate::identity::Caller;
use crate::refusal::{Reason, Refusal};
use crate::tls::Tls;

/// Limit of a question.
const CALL_LIMIT: Duration = Duration::from_secs(3);

/// A client of auth's directory of staff. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SecondPair {
    directory: StaffDirectoryServiceClient<Channel>,
}

impl SecondPair {
    /// The directory at auth's address, not yet connected.
    pub fn connect(auth_url: &str, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: CALL_LIMIT,
        };
        let channel = connect_to("auth", auth_url, options, tls)?;
        Ok(Self {
            directory: StaffDirectoryServiceClient::new(channel),
        })
    }

    /// FORBIDDEN of `requested_by` unless `decided_by` may decide what `asked_by` asked for. Without an answer of auth
    /// nobody may.
    pub async fn require(
        &self,
        caller: &Caller,
        asked_by: Uuid,
        decided_by: Uuid,
    ) -> Result<(), CoreError> {
        if asked_by == decided_by {
            return Err(refusal("the requester cannot decide").into());
        }
        let request = proto::CheckSecondPairRequest {
            asked_by_id: asked_by.to_string(),
            decided_by_id: decided_by.to_string(),
        };
        let caller = caller.without_identity();
        let call = Call::repeated(&caller, CALL_LIMIT);
        let answer = call!(self.directory, check_second_pair, request, call)
            .await
            .map_err(|status| CoreError::from_peer("auth", status))?;
        let detail = match answer.answer() {
            proto::SecondPair::Yes => return Ok(()),
            proto::SecondPair::SamePerson => "one person may hold both accounts",
            proto::SecondPair::New => "an account younger than a day decides nothing",
            // What a later release answers is no yes.
            proto::SecondPair::NotActive | proto::SecondPair::Unspecified => {
                "the account that decides is not active"
            }
        };
        Err(refusal(detail).into())
    }
}

fn refusal(detail: &str) -> Refusal {
    Refusal::new(Reason::Forbidden)
        .field("requested_by")
        .detail(detail)
}
