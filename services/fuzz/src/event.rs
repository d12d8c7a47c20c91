//! Messages from the broker: the body of one.

use adfolio_kit::outbox::{CloudEvent, EnvelopeParts, encode};
use adfolio_proto::events::v1 as events;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Decodes the body like a consumer; an accepted event must look the same after being sent on.
pub fn check(data: &[u8]) {
    let Ok(event) = CloudEvent::decode(data) else {
        return;
    };
    check_envelope(&event);
    check_data::<events::UserRegistered>(&event);
    check_data::<events::SessionsRevoked>(&event);
    check_data::<events::AccountStateChanged>(&event);
    check_data::<events::TransactionPosted>(&event);
    check_data::<events::DepositCredited>(&event);
    check_data::<events::PlanStatusChanged>(&event);
    check_data::<events::PlanSupplyChanged>(&event);
    check_data::<events::ReportsQuarantined>(&event);
    check_data::<events::CouponClaimed>(&event);
    check_data::<events::CouponRedeemed>(&event);
    check_data::<events::CouponReleased>(&event);
    check_data::<events::StaffPostingMade>(&event);
    check_data::<events::WithdrawalStatusChanged>(&event);
    check_data::<events::WalletSecurityChanged>(&event);
    check_data::<events::PasswordChanged>(&event);
    check_data::<events::ContactChanged>(&event);
    check_data::<events::EmailCodeRequested>(&event);
    check_data::<events::NewClientLoggedIn>(&event);
    check_data::<events::CouponGranted>(&event);
    check_data::<events::InboxChanged>(&event);
    check_data::<events::AnnouncementPublished>(&event);
    check_data::<events::AccountDisowned>(&event);
    check_data::<events::ExchangeStatusChanged>(&event);
    check_data::<events::StaffActed>(&event);
    check_data::<events::DeliveryReported>(&event);
}

fn check_envelope(event: &CloudEvent) {
    let parts = EnvelopeParts {
        id: event.id,
        event_type: &event.event_type,
        subject: &event.subject,
        sequence: event.sequence,
        time: event.time,
        traceparent: event.traceparent.as_deref(),
        data: "null",
    };
    let body = encode(&event.source, &parts).expect("an envelope");
    let again = CloudEvent::decode(&body).expect("an own envelope");
    let to_the_millisecond = |event: &CloudEvent| event.time.timestamp_millis();
    assert_eq!(to_the_millisecond(&again), to_the_millisecond(event));
    let expected = CloudEvent {
        time: again.time,
        data: serde_json::Value::Null,
        ..event.clone()
    };
    assert_eq!(again, expected);
}

fn check_data<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(event: &CloudEvent) {
    let Ok(message) = event.data::<T>() else {
        return;
    };
    // A time that proto3 JSON cannot express is an error there, not a panic.
    if let Ok(written) = serde_json::to_value(&message) {
        let again: T = serde_json::from_value(written).expect("what was written");
        assert_eq!(again, message);
    }
}
