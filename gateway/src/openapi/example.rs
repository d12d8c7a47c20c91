//! Examples of messages, composed of the examples of their fields.

use serde_json::{Map, Value, json};

/// Maximum nesting depth of schemas.
const MAX_DEPTH: u32 = 16;

/// An example for a schema; `components` are those of the document.
pub fn of(schema: &Value, components: &Value) -> Value {
    example(schema, components, MAX_DEPTH)
}

fn example(schema: &Value, components: &Value, depth: u32) -> Value {
    let Some(deeper) = depth.checked_sub(1) else {
        return Value::Null;
    };
    let own = schema
        .get("example")
        .or_else(|| schema.pointer("/examples/0"));
    if let Some(own) = own.filter(|own| !own.is_null()) {
        return own.clone();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.trim_start_matches("#/components");
        return components.pointer(pointer).map_or(Value::Null, |referred| {
            example(referred, components, deeper)
        });
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        return Value::Object(
            parts
                .iter()
                .map(|part| example(part, components, deeper))
                .fold(Map::new(), merged),
        );
    }
    // A nullable value is shown as null unless it has its own example.
    for key in ["oneOf", "anyOf"] {
        if let Some(choices) = schema.get(key).and_then(Value::as_array) {
            let nullable = choices
                .iter()
                .any(|choice| choice.get("type") == Some(&json!("null")));
            return choices
                .first()
                .filter(|_| !nullable)
                .map_or(Value::Null, |first| example(first, components, deeper));
        }
    }
    if let Some(first) = schema.pointer("/enum/0") {
        return first.clone();
    }
    of_type(schema, components, deeper)
}

fn of_type(schema: &Value, components: &Value, depth: u32) -> Value {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let field = |(name, field): (&String, &Value)| {
                let value = example(field, components, depth);
                (is_required(schema, name) || !value.is_null()).then(|| (name.clone(), value))
            };
            Value::Object(properties.into_iter().flatten().filter_map(field).collect())
        }
        Some("array") => match schema.get("items") {
            Some(items) => json!([example(items, components, depth)]),
            None => json!([]),
        },
        Some("string") => json!("text"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(false),
        _ => Value::Null,
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|required| required.iter().any(|field| field == name))
}

fn merged(mut all: Map<String, Value>, part: Value) -> Map<String, Value> {
    if let Value::Object(fields) = part {
        all.extend(fields);
    }
    all
}
