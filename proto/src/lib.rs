//! The contract between Adfolio's services: gRPC clients and servers, and the events on the exchange.
//!
//! The sources are `adfolio/<package>/v1/*.proto`; their comments become the doc comments here.

// Generated code is exempt from lints.
#![allow(missing_docs, clippy::all, clippy::pedantic)]

macro_rules! packages {
    ($($(#[$doc:meta])* $name:ident: $package:literal,)*) => {$(
        $(#[$doc])*
        pub mod $name {
            /// Version 1.
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    )*};
}

packages! {
    /// Types that several services share.
    common: "adfolio.common.v1",
    /// Users, sessions, licence keys, staff.
    auth: "adfolio.auth.v1",
    /// The ledger.
    wallet: "adfolio.wallet.v1",
    /// Products, plans, delivery, statistics.
    plan: "adfolio.plan.v1",
    /// Campaigns and coupons.
    coupon: "adfolio.coupon.v1",
    /// Inbox and texts.
    notification: "adfolio.notification.v1",
    /// Acceptors of foreign exchange.
    acceptor: "adfolio.acceptor.v1",
}

/// Events on the exchange, with proto3 JSON by serde.
pub mod events {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("adfolio.events.v1");
        include!(concat!(env!("OUT_DIR"), "/adfolio.events.v1.serde.rs"));
    }
}

/// Descriptors of all packages, for gRPC reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
