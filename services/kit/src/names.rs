//! Enums with names, as databases store them.

/// Makes an enum whose values have names: `as_str`, `from_name`, and all of them in `ALL`.
///
/// ```
/// adfolio_kit::names! {
///     /// Where a light stands.
///     Light {
///         /// Go.
///         Green = "green",
///         /// Wait.
///         Red = "red",
///     }
/// }
/// assert_eq!(Light::from_name("red"), Some(Light::Red));
/// assert_eq!(Light::Green.as_str(), "green");
/// assert_eq!(Light::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Every one of them.
            #[allow(dead_code, reason = "not every set is walked through")]
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The value of this name.
            pub fn from_name(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}
