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
async fn call(channel: Channel, path: String) -> Code {
    let path: PathAndQuery = path.parse().unwrap();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let messages = futures::stream::once(async {});
    let answer = client
        .streaming(
            Request::new(messages),
            path,
            ProstCodec::<(), ()>::default(),
        )
        .await;
    match answer {
        Ok(response) => match response.into_inner().message().await {
            Ok(_) => Code::Ok,
            Err(status) => status.code(),
        },
        Err(status) => status.code(),
    }
}

#[tokio::test]
async fn every_rpc_of_the_contract_is_there() {
    let broker = TestBroker::namespace();
    let services = Services::start(&broker).await;
    let contract = FileDescriptorSet::decode(adfolio_proto::FILE_DESCRIPTOR_SET).unwrap();
    let mut called = 0;
    for file in contract.file {
        for service in &file.service {
            let package = file.package();
            let channel = services.channel(package);
            for method in &service.method {
                let path = format!("/{package}.{}/{}", service.name(), method.name());
                let code = call(channel.clone(), path.clone()).await;
                assert_ne!(code, Code::Unimplemented, "{path}");
                assert_ne!(code, Code::Internal, "{path}");
                called += 1;
            }
        }
    }
    assert!(called > 100, "{called}");
}
