//! Makes a build notice new migrations.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
