//! Enums with names, as databases store them.

/// Makes an enum whose values have names: `as_str`, `from_name`, and all of them in `ALL`.
///
/// A name is the variant in snake case, unless it is given. A name that this release does not know cannot be read from
/// its [column](crate::column!). The column is a text, unless the enum is declared as `Light as "light_state"`: a type of
/// PostgreSQL.
///
/// ```
/// adfolio_kit::names! {
///     /// State of a light.
///     Light {
///         /// Go.
///         AllGreen,
///         /// Wait.
///         Red = "stop",
///     }
/// }
/// assert_eq!(Light::from_name("all_green"), Some(Light::AllGreen));
/// assert_eq!(Light::Red.as_str(), "stop");
/// assert_eq!(Light::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! names {
    (@enum $(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $(= $text:literal)?,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive($crate::strum::EnumString, $crate::strum::IntoStaticStr, $crate::strum::VariantArray)]
        #[strum(crate = "adfolio_kit::strum", serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$variant_doc])* $(#[strum(serialize = $text)])? $variant,)*
        }

        impl $name {
            /// Every one of them.
            #[allow(dead_code, reason = "not every set is walked through")]
            pub const ALL: &'static [Self] = <Self as $crate::strum::VariantArray>::VARIANTS;

            /// Its name.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// The value of this name.
            #[allow(dead_code, reason = "not every name is read")]
            pub fn from_name(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    };
    ($(#[$doc:meta])* $name:ident as $type:literal { $($variants:tt)* }) => {
        $crate::names! {
            @enum
            $(#[$doc])*
            #[derive(sqlx::Type)]
            #[sqlx(type_name = $type, rename_all = "snake_case")]
            $name { $($variants)* }
        }
    };
    ($(#[$doc:meta])* $name:ident { $($variants:tt)* }) => {
        $crate::names! { @enum $(#[$doc])* $name { $($variants)* } }

        $crate::column!($name: String, |text| {
            $name::from_name(&text).ok_or_else(|| format!("unknown name {text:?}").into())
        });
    };
}
