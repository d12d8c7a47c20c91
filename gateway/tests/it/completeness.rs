//! No service leaves out a call of the contract between services. Traits of the contract have default answers, for stand-ins
//! in tests, so no compiler sees a gap.

use adfolio_kit::client::Channel;
use adfolio_testkit::TestBroker;
use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request};
use tonic_prost::ProstCodec;

use crate::services::Services;

/// Calls an RPC with an empty message, whatever its type, and answers with what code it ended.
pub async fn call(channel: Channel, path: String, request: Request<()>) -> Code {
    let path: PathAndQuery = path.parse().unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let request = request.map(|()| futures::stream::once(async {}));
    let answer = client
        .streaming(request, path, ProstCodec::<(), ()>::default())
        .await;
    match answer {
        Ok(response) => match response.into_inner().message().await {
            Ok(_) => Code::Ok,
            Err(status) => status.code(),
        },
        Err(status) => status.code(),
    }
}

/// Package and path of every RPC of the contract.
pub fn methods() -> Vec<(String, String)> {
    let contract = FileDescriptorSet::decode(adfolio_proto::FILE_DESCRIPTOR_SET).unwrap();
    let mut methods = Vec::new();
    for file in contract.file {
        let package = file.package();
        for service in &file.service {
            for method in &service.method {
                let path = format!("/{package}.{}/{}", service.name(), method.name());
                methods.push((package.to_owned(), path));
            }
        }
    }
    assert!(methods.len() > 100, "{}", methods.len());
    methods
}

#[tokio::test]
async fn every_rpc_of_the_contract_is_there() {
    let broker = TestBroker::namespace();
    let services = Services::start(&broker).await;
    for (package, path) in methods() {
        let code = call(services.channel(&package), path.clone(), Request::new(())).await;
        assert_ne!(code, Code::Unimplemented, "{path}");
        assert_ne!(code, Code::Internal, "{path}");
    }
}
