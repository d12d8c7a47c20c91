//! The schemas of the OpenAPI document, collected from the types of the routes' handlers.

use std::collections::BTreeMap;

use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::input::{Carrier, Input};

/// The schemas of a route.
pub struct Shapes {
    /// The input, inline.
    pub input: RefOr<Schema>,
    /// The input, by reference unless it is a query string.
    pub input_by_name: RefOr<Schema>,
    /// The output, by reference.
    pub output: RefOr<Schema>,
}

/// Collects the schemas that routes refer to.
#[derive(Default)]
pub struct Schemas(BTreeMap<String, RefOr<Schema>>);

impl Schemas {
    /// The schemas of a handler's input and output.
    pub fn shapes_of<I: Input, O: ToSchema>(&mut self) -> Shapes {
        let input_by_name = match I::CARRIER {
            // A query string is not a schema of its own; only its parameters are in the document.
            Carrier::Query | Carrier::Nothing => {
                self.add_referred::<I::Shape>();
                I::Shape::schema()
            }
            Carrier::Json | Carrier::Multipart | Carrier::Lines => self.add::<I::Shape>(),
        };
        Shapes {
            input: I::Shape::schema(),
            input_by_name,
            output: self.add::<O>(),
        }
    }

    /// Adds a type and everything it refers to, and returns a reference to it.
    pub fn add<T: ToSchema>(&mut self) -> RefOr<Schema> {
        self.add_referred::<T>();
        self.0.insert(T::name().into_owned(), T::schema());
        Ref::from_schema_name(T::name()).into()
    }

    /// Adds everything a type refers to.
    pub fn add_referred<T: ToSchema>(&mut self) {
        let mut referred = Vec::new();
        T::schemas(&mut referred);
        self.0.extend(referred);
    }

    /// Adds a schema by name.
    pub fn insert(&mut self, name: &str, schema: impl Into<RefOr<Schema>>) {
        self.0.insert(name.to_owned(), schema.into());
    }

    /// All schemas by name.
    pub fn into_inner(self) -> BTreeMap<String, RefOr<Schema>> {
        self.0
    }
}
