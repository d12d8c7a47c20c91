//! Identifiers: a type for each kind, so that they cannot be confused.

/// Makes identifier types over a UUID.
///
/// ```
/// adfolio_kit::ids! {
///     /// A lamp.
///     LampId;
/// }
/// let id = LampId::from(uuid::Uuid::nil());
/// assert_eq!(id.to_string().parse::<LampId>(), Ok(id));
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub ::uuid::Uuid);

        $crate::column!($name: ::uuid::Uuid, |id| Ok($name(id)));

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::uuid::Error;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl ::std::convert::From<::uuid::Uuid> for $name {
            fn from(id: ::uuid::Uuid) -> Self {
                Self(id)
            }
        }

        impl ::std::convert::From<$name> for ::uuid::Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )*};
}
