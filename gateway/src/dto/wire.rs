//! Enums and structs of the contract that mirror the services' messages.

/// Declares an enum of the REST contract that mirrors a proto enum variant by variant: snake-case names, `Into` the
/// proto enum, and `from_wire` from its number. UNSPECIFIED has no counterpart, so it is a broken answer.
macro_rules! wire_enum {
    ($(#[$meta:meta])* $name:ident = $proto:ty { $($(#[$variant_meta:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl From<$name> for $proto {
            fn from(value: $name) -> Self {
                match value { $($name::$variant => Self::$variant,)+ }
            }
        }

        impl From<$name> for i32 {
            fn from(value: $name) -> Self {
                <$proto>::from(value) as i32
            }
        }

        #[allow(dead_code, reason = "some enums only travel one way")]
        impl $name {
            /// The value for a service's number.
            pub fn from_wire(value: i32) -> Result<Self, crate::errors::Failure> {
                match <$proto>::try_from(value) {
                    $(Ok(<$proto>::$variant) => Ok(Self::$variant),)+
                    _ => Err(crate::errors::Failure::broken_answer(stringify!($name))),
                }
            }
        }

        impl $crate::dto::Decode<i32> for $name {
            fn decode(value: i32, _: &'static str) -> Result<Self, crate::errors::Failure> {
                Self::from_wire(value)
            }
        }
    };
}

/// Declares a struct of the REST contract that is converted from a service's message field by field (see [`Decode`]).
/// It gets `from_proto` and can be a field of other such structs.
///
/// ```ignore
/// wire_struct! {
///     /// A withdrawal.
///     pub struct Withdrawal = wallet::Withdrawal as withdrawal {
///         // From the field of the same name.
///         pub id: String,
///         // From the field `amount_minor`.
///         pub amount: Money = amount_minor,
///         // From an expression over the message.
///         pub net: Money = (Money::difference(withdrawal.amount_minor, withdrawal.fee_minor)?),
///     }
/// }
/// ```
///
/// `wallet::Withdrawal as withdrawal, user: UserName` adds a parameter to `from_proto`, for use in expressions.
///
/// [`Decode`]: super::Decode
macro_rules! wire_struct {
    ($(#[$meta:meta])* pub struct $name:ident = $proto:ty { $($fields:tt)* }) => {
        wire_struct! { $(#[$meta])* pub struct $name = $proto as message { $($fields)* } }
    };
    ($(#[$meta:meta])* pub struct $name:ident = $proto:ty as $message:ident { $($fields:tt)* }) => {
        wire_struct! { @declare ($(#[$meta])*) $name, ($message: $proto), $($fields)* }

        impl $crate::dto::Decode<$proto> for $name {
            fn decode(message: $proto, _: &'static str) -> Result<Self, $crate::errors::Failure> {
                Self::from_proto(message)
            }
        }

        impl $crate::dto::Decode<Option<$proto>> for $name {
            fn decode(
                message: Option<$proto>,
                field: &'static str,
            ) -> Result<Self, $crate::errors::Failure> {
                Self::from_proto($crate::dto::present(message, field)?)
            }
        }
    };
    (
        $(#[$meta:meta])* pub struct $name:ident = $proto:ty as $message:ident,
        $($context:ident: $context_type:ty),+ { $($fields:tt)* }
    ) => {
        wire_struct! {
            @declare ($(#[$meta])*) $name, ($message: $proto, $($context: $context_type),+), $($fields)*
        }
    };
    (
        @declare ($(#[$meta:meta])*) $name:ident, ($message:ident: $proto:ty $(, $context:ident: $context_type:ty)*),
        $($(#[$field_meta:meta])* pub $field:ident: $type:ty $(= $source:tt)?),+ $(,)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        impl $name {
            /// From a service's message.
            pub fn from_proto(
                $message: $proto,
                $($context: $context_type,)*
            ) -> Result<Self, $crate::errors::Failure> {
                Ok(Self { $($field: wire_struct!(@value $message, $field $($source)?),)+ })
            }
        }
    };
    (@value $message:ident, $field:ident) => {
        $crate::dto::Decode::decode($message.$field, stringify!($field))?
    };
    (@value $message:ident, $field:ident $source:ident) => {
        $crate::dto::Decode::decode($message.$source, stringify!($field))?
    };
    (@value $message:ident, $field:ident ($($value:tt)+)) => {
        $($value)+
    };
}

pub(crate) use {wire_enum, wire_struct};
