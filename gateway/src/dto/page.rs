//! Pages of lists.

use std::borrow::Cow;

use adfolio_proto::common::v1::PageRequest;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::PageLimit;
use super::decode::{Decode, non_empty};
use crate::errors::Failure;

/// The requested part of a list.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PageQuery {
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

impl PageQuery {
    /// The page request of the services.
    pub fn into_page(self) -> Option<PageRequest> {
        page(self.cursor, self.limit)
    }
}

/// The page request of the services.
pub fn page(cursor: Option<String>, limit: Option<PageLimit>) -> Option<PageRequest> {
    Some(PageRequest {
        cursor: cursor.unwrap_or_default(),
        limit: limit.map_or(0, PageLimit::get),
    })
}

/// A page of a list. Its schema is called `<item>Page`.
#[derive(Clone, Debug, Serialize)]
pub struct Page<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// From a list of messages.
    pub fn from_proto<M>(items: Vec<M>, next_cursor: String) -> Result<Self, Failure>
    where
        T: Decode<M>,
    {
        Self::compose(items, next_cursor, |item| T::decode(item, "items"))
    }

    /// From a list of messages, each of which `item` turns into an item.
    pub fn compose<M>(
        items: Vec<M>,
        next_cursor: String,
        item: impl FnMut(M) -> Result<T, Failure>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            items: items.into_iter().map(item).collect::<Result<_, _>>()?,
            next_cursor: non_empty(next_cursor),
        })
    }
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<Schema> {
        let items = ArrayBuilder::new()
            .items(Ref::from_schema_name(T::name()))
            .description(Some("The items, newest first."));
        let next_cursor = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some("Cursor of the next page; null on the last page."));
        ObjectBuilder::new()
            .property("items", items)
            .required("items")
            .property("next_cursor", next_cursor)
            .required("next_cursor")
            .description(Some("A page of a list."))
            .into()
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn name() -> Cow<'static, str> {
        format!("{}Page", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
        schemas.push((T::name().into_owned(), T::schema()));
    }
}
