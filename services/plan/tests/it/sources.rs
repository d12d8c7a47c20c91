//! Who may report as a source, and files that only the source can have written.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::delivery_service_client::DeliveryServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::TestSigner;
use futures::future::join_all;
use sha2::{Digest, Sha256};

use crate::helpers::{Plan, *};

const ACTED: &str = "adfolio.plan.v1.StaffActed";
const SOURCE: &str = "network-a";

fn admin() -> Caller {
    staff(StaffRole::Admin)
}

async fn put(stack: &Plan) -> (Caller, pb::Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 1_000).await.unwrap();
    (caller, plan)
}

fn file(plan: &pb::Plan, id: &str) -> String {
    let number = &plan.plan_number;
    format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\n\
         {id},{number},2026-11-20T09:00:00Z,100,5,1.00,2.00\n"
    )
}

/// What docs/imports.md says that a source signs.
fn signature(signer: &TestSigner, source: &str, file: &str) -> Vec<u8> {
    let digest = hex::encode(Sha256::digest(file));
    signer.sign_message(format!("adfolio-delivery-1\n{source}\n{digest}\n").as_bytes())
}

async fn import(
    stack: &Plan,
    by: &Caller,
    file: &str,
    signature: Vec<u8>,
) -> Result<ImportDeliveryResponse, Refusal> {
    let header = ImportHeader {
        format: ImportFormat::Csv.into(),
        source: SOURCE.to_owned(),
        mapping_json: "{}".to_owned(),
        dry_run: false,
        signature,
    };
    stack.propose(by, header, file.as_bytes()).await
}

async fn save(
    stack: &Plan,
    by: &Caller,
    source: &str,
    channels: &[ReportChannel],
) -> Result<ReportSource, Refusal> {
    let message = SaveReportSourceRequest {
        source: source.to_owned(),
        channels: channels.iter().map(|channel| (*channel).into()).collect(),
        reason: "agreed".to_owned(),
    };
    let answer = stack.staff().save_report_source(call(by, message)).await;
    Ok(answer.map_err(refused)?.into_inner().source.unwrap())
}

async fn add_key(
    stack: &Plan,
    by: &Caller,
    source: &str,
    public_key: String,
) -> Result<ReportSource, Refusal> {
    let message = AddReportSourceKeyRequest {
        source: source.to_owned(),
        public_key,
    };
    let answer = stack.staff().add_report_source_key(call(by, message)).await;
    Ok(answer.map_err(refused)?.into_inner().source.unwrap())
}

async fn revoke(stack: &Plan, by: &Caller, kid: &str) -> Result<ReportSource, Refusal> {
    let message = RevokeReportSourceKeyRequest {
        kid: kid.to_owned(),
        reason: "lost".to_owned(),
    };
    let answer = stack
        .staff()
        .revoke_report_source_key(call(by, message))
        .await;
    Ok(answer.map_err(refused)?.into_inner().source.unwrap())
}

/// A source with a key that is no longer new.
async fn with_key(stack: &Plan, signer: &TestSigner) {
    let channels = [ReportChannel::File, ReportChannel::Network];
    save(stack, &admin(), SOURCE, &channels).await.unwrap();
    let key = signer.public_key_pem();
    add_key(stack, &admin(), SOURCE, key).await.unwrap();
    stack.clock.advance(Duration::from_hours(72));
}

#[tokio::test]
async fn a_source_with_a_key_signs_each_file() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let (signer, stranger) = (TestSigner::new(1), TestSigner::new(2));
    let (text, other) = (file(&plan, "1"), file(&plan, "2"));
    // A signature that nobody can check is no signature.
    let early = import(
        &stack,
        &operator(),
        &text,
        signature(&signer, SOURCE, &text),
    )
    .await;
    let wrong = (Reason::Validation, Some("signature".to_owned()));
    assert_eq!(why(early), wrong);
    with_key(&stack, &signer).await;
    for bad in [
        Vec::new(),
        vec![0; 64],
        b"short".to_vec(),
        signature(&stranger, SOURCE, &text),
        signature(&signer, SOURCE, &other),
        signature(&signer, "network-b", &text),
        signer.sign_message(&Sha256::digest(&text)),
    ] {
        assert_eq!(why(import(&stack, &operator(), &text, bad).await), wrong);
    }
    assert!(stack.imports(ImportState::Unspecified).await.is_empty());
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);

    let good = signature(&signer, SOURCE, &text);
    let proposed = import(&stack, &operator(), &text, good).await.unwrap();
    assert_eq!(proposed.signed_by_kid, signer.kid());
    assert!(proposed.notable.is_empty(), "{:?}", proposed.notable);
    let released = stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Released,
            "as agreed",
        )
        .await
        .unwrap();
    assert_eq!(released.signed_by_kid, signer.kid());
    assert_eq!(stack.imports(ImportState::Unspecified).await, [released]);
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 200);
}

#[tokio::test]
async fn the_signature_of_a_new_key_or_of_ones_own_stands_out() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let (owner, signer) = (admin(), TestSigner::new(1));
    let channels = [ReportChannel::File];
    save(&stack, &owner, SOURCE, &channels).await.unwrap();
    let key = signer.public_key_pem();
    add_key(&stack, &owner, SOURCE, key).await.unwrap();
    let rules = async |by: &Caller, id: &str| {
        let text = file(&plan, id);
        let good = signature(&signer, SOURCE, &text);
        let answer = import(&stack, by, &text, good).await.unwrap();
        let notable = answer.notable.into_iter();
        notable
            .map(|notable| (notable.plan_number, notable.rule))
            .collect::<Vec<_>>()
    };
    let new_key = [(String::new(), "new_key".to_owned())];
    stack
        .clock
        .advance(Duration::from_hours(72) - Duration::from_secs(1));
    assert_eq!(rules(&operator(), "1").await, new_key);
    stack.clock.advance(Duration::from_secs(1));
    assert_eq!(rules(&operator(), "2").await, []);
    assert_eq!(rules(&owner, "3").await, new_key);
}

#[tokio::test]
async fn what_a_revoked_key_signed_is_not_released() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let signer = TestSigner::new(1);
    with_key(&stack, &signer).await;
    let text = file(&plan, "1");
    let good = signature(&signer, SOURCE, &text);
    let proposed = import(&stack, &operator(), &text, good.clone())
        .await
        .unwrap();
    let source = revoke(&stack, &admin(), &signer.kid()).await.unwrap();
    assert!(source.keys[0].revoked_at.is_some());
    let decide = async |decision| {
        let id = &proposed.import_id;
        stack.decide(&operator(), id, decision, "as agreed").await
    };
    assert_eq!(
        why(decide(ImportDecision::Released).await),
        (Reason::Validation, Some("import_id".to_owned()))
    );
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);
    decide(ImportDecision::Rejected).await.unwrap();
    // The key signs nothing any more, and does not come back.
    let late = import(&stack, &operator(), &text, good).await;
    assert_eq!(why(late).1.as_deref(), Some("signature"));
    assert_eq!(
        why(revoke(&stack, &admin(), &signer.kid()).await).0,
        Reason::NothingChanged
    );
    let again = add_key(&stack, &admin(), SOURCE, signer.public_key_pem()).await;
    assert_eq!(
        why(again),
        (Reason::Validation, Some("public_key".to_owned()))
    );
    // Without a valid key files are proposed unsigned, as before.
    let unsigned = import(&stack, &operator(), &text, Vec::new())
        .await
        .unwrap();
    assert_eq!(unsigned.signed_by_kid, "");
}

#[tokio::test]
async fn a_source_reports_only_as_it_is_registered() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let send = async |id: &str| {
        let report = ReportDeliveryRequest {
            source: SOURCE.to_owned(),
            report_id: id.to_owned(),
            revision: 1,
            plan_number: plan.plan_number.clone(),
            time: Some(stack.clock.now().into()),
            impressions: 100,
            clicks: 5,
            spend: "1.00".to_owned(),
            revenue: "2.00".to_owned(),
            placement: String::new(),
        };
        let request = call(&Caller::system(), tokio_stream::iter(vec![report]));
        let mut client = DeliveryServiceClient::new(stack.channel());
        client.report_delivery(request).await.unwrap().into_inner()
    };
    save(&stack, &admin(), SOURCE, &[ReportChannel::File])
        .await
        .unwrap();
    let refused = send("1").await;
    assert_eq!((refused.applied, refused.rejected_count), (0, 1));
    assert!(
        refused.rejected[0].reason.contains("over the network"),
        "{:?}",
        refused.rejected
    );
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);
    save(&stack, &admin(), SOURCE, &[ReportChannel::Network])
        .await
        .unwrap();
    assert_eq!(send("1").await.applied, 1);
    let text = file(&plan, "2");
    let by_file = import(&stack, &operator(), &text, Vec::new()).await;
    assert_eq!(
        why(by_file),
        (Reason::Validation, Some("source".to_owned()))
    );
}

#[tokio::test]
async fn admins_register_sources_and_each_change_is_audited_once() {
    let stack = Plan::spawn().await;
    let probe = stack.broker.probe(&[ACTED]).await;
    let (by, signer) = (admin(), TestSigner::new(1));
    let pem = signer.public_key_pem();
    let both = [ReportChannel::Network, ReportChannel::File];
    for nobody in [
        operator(),
        staff(StaffRole::Finance),
        staff(StaffRole::Support),
    ] {
        let saved = save(&stack, &nobody, SOURCE, &both).await;
        assert_eq!(why(saved).0, Reason::Forbidden);
        let added = add_key(&stack, &nobody, SOURCE, pem.clone()).await;
        assert_eq!(why(added).0, Reason::Forbidden);
        let revoked = revoke(&stack, &nobody, &signer.kid()).await;
        assert_eq!(why(revoked).0, Reason::Forbidden);
    }
    for (source, channels, field) in [
        ("Network A", &both[..], "source"),
        ("", &both[..], "source"),
        (SOURCE, &[][..], "channels"),
        (SOURCE, &[ReportChannel::Unspecified][..], "channels"),
    ] {
        let saved = save(&stack, &by, source, channels).await;
        assert_eq!(why(saved), (Reason::Validation, Some(field.to_owned())));
    }
    let unknown = add_key(&stack, &by, SOURCE, pem.clone()).await;
    assert_eq!(why(unknown), (Reason::NotFound, Some("source".to_owned())));
    let unknown = revoke(&stack, &by, &signer.kid()).await;
    assert_eq!(why(unknown), (Reason::NotFound, Some("kid".to_owned())));

    let saved = join_all((0..20).map(|_| save(&stack, &by, SOURCE, &both))).await;
    let added = join_all((0..20).map(|_| add_key(&stack, &by, SOURCE, pem.clone()))).await;
    for source in saved.into_iter().chain(added) {
        let channels: Vec<_> = source.unwrap().channels().collect();
        assert_eq!(channels, [ReportChannel::File, ReportChannel::Network]);
    }
    let kid = signer.kid();
    let ended = join_all((0..20).map(|_| revoke(&stack, &by, &kid))).await;
    assert_eq!(ended.iter().filter(|answer| answer.is_ok()).count(), 1);
    let message = ListReportSourcesRequest {};
    let listed = stack
        .staff()
        .list_report_sources(call(&staff(StaffRole::Support), message))
        .await;
    let listed = listed.unwrap().into_inner().items;
    assert_eq!((listed.len(), listed[0].keys.len()), (1, 1));
    let acts: Vec<StaffActed> = probe
        .wait_for(ACTED, 3)
        .await
        .iter()
        .map(|event| event.data().unwrap())
        .collect();
    let actions: Vec<_> = acts.iter().map(|act| act.action.as_str()).collect();
    assert_eq!(
        actions,
        [
            "plan.save_report_source",
            "plan.add_report_source_key",
            "plan.revoke_report_source_key"
        ]
    );
    assert!(acts.iter().all(|act| act.target == SOURCE));
}
