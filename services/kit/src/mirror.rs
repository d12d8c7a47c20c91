//! Enums of a service and their counterparts in the contract, matched by name.
//!
//! A service lists the values of an enum once, with [`names!`](crate::names): the list is the Rust
//! enum and its text in the database. [`mirror!`](crate::mirror) ties it to the protobuf enum,
//! whose values have the same names behind the enum's own (`COUPON_MODE_DISCOUNT` for `discount`),
//! and adds a test that the two have the same values. Values that callers never see are listed as
//! hidden; on the wire they are "unspecified".

use crate::refusal::Refusal;

/// An enum with a counterpart in the contract.
pub trait Mirrored: Copy + PartialEq + 'static {
    /// Every value and its number in the contract.
    fn numbers() -> &'static [(Self, i32)];

    /// The number in the contract.
    fn to_wire(self) -> i32 {
        let found = Self::numbers().iter().find(|(value, _)| *value == self);
        found.map_or(0, |(_, number)| *number)
    }

    /// The value of a number; none for "unspecified" and for numbers of later releases.
    fn from_wire(number: i32) -> Option<Self> {
        let found = Self::numbers().iter().find(|(_, known)| *known == number);
        found.map(|(value, _)| *value)
    }

    /// The value of `field`, or VALIDATION.
    fn required(number: i32, field: &str) -> Result<Self, Refusal> {
        Self::from_wire(number).ok_or_else(|| Refusal::invalid(field))
    }

    /// The value of `field`, if one was sent; an unknown one is VALIDATION.
    fn optional(number: i32, field: &str) -> Result<Option<Self>, Refusal> {
        if number == 0 {
            Ok(None)
        } else {
            Self::required(number, field).map(Some)
        }
    }
}

/// The prefix of the names of a protobuf enum, from the name of its zero value.
pub fn prefix(zero: &'static str) -> &'static str {
    zero.strip_suffix("UNSPECIFIED").unwrap_or(zero)
}

/// Ties enums made by [`names!`](crate::names) to their counterparts in the contract; once per
/// module. `Status = proto::Status where hidden: [Draft],` leaves a value out of the contract.
#[macro_export]
macro_rules! mirror {
    ($($name:ty = $wire:ty $(where hidden: [$($hidden:ident),+])?,)*) => {
        $(impl $crate::mirror::Mirrored for $name {
            fn numbers() -> &'static [(Self, i32)] {
                static NUMBERS: ::std::sync::LazyLock<::std::vec::Vec<($name, i32)>> =
                    ::std::sync::LazyLock::new(|| {
                        let prefix = $crate::mirror::prefix(<$wire>::default().as_str_name());
                        let number = |value: &$name| {
                            let name = ::std::format!("{prefix}{}", value.as_str().to_uppercase());
                            Some((*value, i32::from(<$wire>::from_str_name(&name)?)))
                        };
                        <$name>::ALL.iter().filter_map(number).collect()
                    });
                &NUMBERS
            }
        })*

        #[cfg(test)]
        mod mirror_tests {
            #[allow(unused_imports, reason = "the types are named as their module names them")]
            use super::*;

            #[test]
            fn enums_and_their_twins_have_the_same_values() {
                $({
                    use $crate::mirror::Mirrored as _;
                    let here = <$name>::numbers().len();
                    let there = (1..1_000).filter(|number| <$wire>::try_from(*number).is_ok()).count();
                    let hidden: &[$name] = &[$($(<$name>::$hidden),+)?];
                    let shown = <$name>::ALL.iter().filter(|value| !hidden.contains(value)).count();
                    assert_eq!(here, shown, "{} lacks a value", stringify!($wire));
                    assert_eq!(here, there, "{} lacks a value", stringify!($name));
                })*
            }
        }
    };
}
