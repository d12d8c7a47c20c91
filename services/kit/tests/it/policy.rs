//! The authorization policy against the contract.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_kit::policy::{
    ACCEPTOR, COUPON, GATEWAY, NETWORK, NOTIFICATION, OPERATOR, PLAN, POLICIES, WALLET,
};
use prost::Message as _;
use prost_types::FileDescriptorSet;

/// Every method of the contract by its service.
fn contract() -> BTreeMap<String, BTreeSet<String>> {
    let files = FileDescriptorSet::decode(adfolio_proto::FILE_DESCRIPTOR_SET).unwrap();
    let services = files.file.iter().flat_map(|file| {
        let of_file = |name: &str| format!("{}.{name}", file.package());
        file.service.iter().map(move |service| {
            let methods = service.method.iter().map(|method| method.name().to_owned());
            (of_file(service.name()), methods.collect())
        })
    });
    services.collect()
}

#[test]
fn every_method_of_the_contract_is_on_the_list_once_and_nothing_else_is() {
    let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for policy in POLICIES {
        let methods: BTreeSet<_> = policy
            .methods
            .iter()
            .map(|(method, _)| (*method).to_owned())
            .collect();
        assert_eq!(
            methods.len(),
            policy.methods.len(),
            "{} has a method twice",
            policy.service
        );
        let before = listed.insert(policy.service.to_owned(), methods);
        assert!(before.is_none(), "{} is there twice", policy.service);
    }
    let contract = contract();
    assert!(contract.len() > 10, "the contract is read");
    assert_eq!(listed, contract);
}

#[test]
fn every_method_has_callers_and_all_of_them_are_known() {
    let known = [
        GATEWAY,
        OPERATOR,
        PLAN,
        WALLET,
        COUPON,
        NOTIFICATION,
        ACCEPTOR,
        NETWORK,
    ];
    for policy in POLICIES {
        for (method, allowed) in policy.methods {
            let method = format!("{}/{method}", policy.service);
            assert!(!allowed.is_empty(), "nobody may call {method}");
            assert!(
                allowed.iter().all(|caller| known.contains(caller)),
                "{method} has an unknown caller: {allowed:?}"
            );
        }
    }
}

#[test]
fn what_users_and_staff_do_is_called_by_the_gateway_and_the_operator_alone() {
    for policy in POLICIES {
        let name = policy.service.rsplit('.').next().unwrap();
        let package = policy.service.split('.').nth(1).unwrap();
        let for_people =
            name.ends_with("AdminService") || name.to_lowercase() == format!("{package}service");
        for (method, allowed) in policy.methods {
            let people = allowed
                .iter()
                .all(|caller| [GATEWAY, OPERATOR].contains(caller));
            assert!(
                people || !for_people,
                "{}/{method} believes the identity that {allowed:?} sends",
                policy.service
            );
        }
    }
}
