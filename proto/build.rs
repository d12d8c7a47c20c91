//! Compiles the contract: gRPC code for every package, proto3 JSON for the events, and a `Debug` that omits fields
//! marked with `debug_redact`.

use std::fmt::Write as _;
use std::{env, path::PathBuf};

use prost_reflect::{DescriptorPool, FieldDescriptor, Value};
use tonic_prost_build::Builder;

const FILES: [&str; 11] = [
    "adfolio/common/v1/common.proto",
    "adfolio/auth/v1/auth.proto",
    "adfolio/wallet/v1/wallet.proto",
    "adfolio/wallet/v1/bank.proto",
    "adfolio/plan/v1/placement.proto",
    "adfolio/plan/v1/plan.proto",
    "adfolio/plan/v1/network.proto",
    "adfolio/coupon/v1/coupon.proto",
    "adfolio/notification/v1/notification.proto",
    "adfolio/acceptor/v1/acceptor.proto",
    "adfolio/events/v1/events.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    // protox is written in Rust, so a build needs no protoc.
    let mut compiler = protox::Compiler::new(["."])?;
    compiler
        .include_source_info(true)
        .include_imports(true)
        .open_files(FILES)?;
    let descriptor_bytes = compiler.encode_file_descriptor_set();
    let pool = compiler.descriptor_pool();
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    std::fs::write(out_dir.join("descriptor.bin"), &descriptor_bytes)?;
    std::fs::write(out_dir.join("messages.rs"), messages(&pool))?;

    let builder = tonic_prost_build::configure()
        // Well-known types come from pbjson-types, which know their JSON form.
        .compile_well_known_types(true)
        .extern_path(".google.protobuf", "::pbjson_types")
        // Stubs in tests implement only the methods they need. gateway/tests/it/completeness.rs tests that the services
        // implement all.
        .generate_default_stubs(true);
    redact(builder, &pool).compile_fds(compiler.file_descriptor_set())?;
    pbjson_build::Builder::new()
        .register_descriptors(&descriptor_bytes)?
        .ignore_unknown_fields()
        .build(&[".adfolio.events.v1"])?;
    Ok(())
}

/// Gives messages with secret fields a `Debug` that prints `[REDACTED]` for them.
fn redact(mut builder: Builder, pool: &DescriptorPool) -> Builder {
    for message in pool.all_messages() {
        let redacted: Vec<FieldDescriptor> = message.fields().filter(is_redacted).collect();
        if redacted.is_empty() {
            continue;
        }
        let path = format!(".{}", message.full_name());
        builder = builder
            .skip_debug([&path])
            .type_attribute(&path, "#[derive(::derive_more::Debug)]");
        for field in redacted {
            builder = builder.field_attribute(path_of(&field), r#"#[debug("[REDACTED]")]"#);
        }
    }
    builder
}

/// Read from the descriptor itself: prost-types does not know the option yet.
fn is_redacted(field: &FieldDescriptor) -> bool {
    field
        .options()
        .get_field_by_name("debug_redact")
        .as_deref()
        .and_then(Value::as_bool)
        .unwrap_or(false)
}

/// Where prost-build looks for a field's attributes.
fn path_of(field: &FieldDescriptor) -> String {
    let message = field.parent_message().full_name().to_owned();
    match field.containing_oneof() {
        Some(oneof) if !oneof.is_synthetic() => {
            format!(".{message}.{}.{}", oneof.name(), field.name())
        }
        _ => format!(".{message}.{}", field.name()),
    }
}

/// Every message by its full name with the function `debug_of` for its type, for a test that must find all of them.
fn messages(pool: &DescriptorPool) -> String {
    let mut list = String::from("&[\n");
    for message in pool.all_messages() {
        let name = message.full_name();
        if let Some(path) = name
            .strip_prefix("adfolio.")
            .filter(|_| !message.is_map_entry())
        {
            let path = path.replace('.', "::");
            let _ = writeln!(list, "(\"{name}\", debug_of::<adfolio_proto::{path}>),");
        }
    }
    list.push(']');
    list
}
