//! Enums that are words on the wire and numbers in the services' messages.

/// Declares an enum of the REST contract that mirrors a proto enum variant by variant: words in snake case, `Into` the
/// proto enum, `from_wire` back from its number. Proto's UNSPECIFIED has no word, so it is a broken answer.
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
            /// The word for a service's number.
            pub fn from_wire(value: i32) -> Result<Self, crate::errors::Failure> {
                match <$proto>::try_from(value) {
                    $(Ok(<$proto>::$variant) => Ok(Self::$variant),)+
                    _ => Err(crate::errors::Failure::broken_answer(stringify!($name))),
                }
            }
        }
    };
}

pub(crate) use wire_enum;
