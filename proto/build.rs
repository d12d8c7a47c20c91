//! Compiles the contract: gRPC code for every package, proto3 JSON for the events.

use std::{env, path::PathBuf};

const FILES: [&str; 8] = [
    "adfolio/common/v1/common.proto",
    "adfolio/auth/v1/auth.proto",
    "adfolio/wallet/v1/wallet.proto",
    "adfolio/plan/v1/plan.proto",
    "adfolio/coupon/v1/coupon.proto",
    "adfolio/notification/v1/notification.proto",
    "adfolio/acceptor/v1/acceptor.proto",
    "adfolio/events/v1/events.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    // protox is a compiler in Rust, so that a build needs no protoc.
    let mut compiler = protox::Compiler::new(["."])?;
    compiler
        .include_source_info(true)
        .include_imports(true)
        .open_files(FILES)?;
    let descriptor_bytes = compiler.encode_file_descriptor_set();
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    std::fs::write(out_dir.join("descriptor.bin"), &descriptor_bytes)?;

    tonic_prost_build::configure()
        // Well-known types come from pbjson-types, which know their JSON form.
        .compile_well_known_types(true)
        .extern_path(".google.protobuf", "::pbjson_types")
        // Stand-ins in tests answer only what is asked of them. That the services themselves leave nothing out is tested in
        // gateway/tests/it/completeness.rs.
        .generate_default_stubs(true)
        .compile_fds(compiler.file_descriptor_set())?;
    pbjson_build::Builder::new()
        .register_descriptors(&descriptor_bytes)?
        .ignore_unknown_fields()
        .build(&[".adfolio.events.v1"])?;
    Ok(())
}
