//! Types that queries read from columns.

/// Lets queries read a type with `AS "name: _"`: from the type that the column has, and a function that may refuse what
/// is stored. Then sqlx names the column in its error, and the call ends as `INTERNAL`.
///
/// ```
/// struct Rating(i16);
/// adfolio_kit::column!(Rating: i16, |tenths| match tenths {
///     0..=50 => Ok(Rating(tenths)),
///     _ => Err("not 0 to 50".into()),
/// });
/// ```
#[macro_export]
macro_rules! column {
    ($name:ident: $stored:ty, $read:expr) => {
        impl $crate::sqlx::Type<$crate::sqlx::Postgres> for $name {
            fn type_info() -> $crate::sqlx::postgres::PgTypeInfo {
                <$stored as $crate::sqlx::Type<$crate::sqlx::Postgres>>::type_info()
            }

            fn compatible(column: &$crate::sqlx::postgres::PgTypeInfo) -> bool {
                <$stored as $crate::sqlx::Type<$crate::sqlx::Postgres>>::compatible(column)
            }
        }

        impl<'r> $crate::sqlx::Decode<'r, $crate::sqlx::Postgres> for $name {
            fn decode(
                column: $crate::sqlx::postgres::PgValueRef<'r>,
            ) -> ::std::result::Result<Self, $crate::sqlx::error::BoxDynError> {
                let read: fn(
                    $stored,
                )
                    -> ::std::result::Result<Self, $crate::sqlx::error::BoxDynError> = $read;
                read(<$stored as $crate::sqlx::Decode<
                    'r,
                    $crate::sqlx::Postgres,
                >>::decode(column)?)
            }
        }
    };
}
