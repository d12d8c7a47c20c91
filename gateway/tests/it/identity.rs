//! The services behind the gateway believe identities by auth's signature. (Every other test with services has it on, too.)

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_testkit::TestBroker;
use adfolio_testkit::callers::{self, CALL_LIMIT};
use tonic::Code;

use crate::completeness::{call, methods};
use crate::services::Services;

#[tokio::test]
async fn no_method_of_any_service_believes_an_invented_identity() {
    let services = Services::start(&TestBroker::namespace()).await;
    let admin = callers::staff(StaffRole::Admin);
    for invented in [callers::user(), admin.clone()] {
        for (package, path) in methods() {
            let request = outgoing(&invented, (), CALL_LIMIT);
            let code = call(services.channel(&package), path.clone(), request).await;
            assert_eq!(code, Code::Unauthenticated, "{path}");
        }
    }
    let signed = services.identity.signed(admin, None);
    let borrowed = Caller {
        identity_token: signed.identity_token.clone(),
        ..callers::staff(StaffRole::Admin)
    };
    let path = "/adfolio.auth.v1.AuthAdminService/ListStaff";
    for (caller, expected) in [(borrowed, Code::Unauthenticated), (signed, Code::Ok)] {
        let request = outgoing(&caller, (), CALL_LIMIT);
        let channel = services.channel("adfolio.auth.v1");
        let code = call(channel, path.to_owned(), request).await;
        assert_eq!(code, expected);
    }
}
