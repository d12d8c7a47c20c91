//! A home for RabbitMQ that only contains what the broker needs.
//!
//! On start the broker loads every module of every application below its home, and Erlang searches
//! one folder after the other for each of them. With the packaged plugins, none of which is enabled
//! here, that takes more than half of the start.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The broker's own application; its dependencies follow from it.
const BROKER: &str = "rabbit";
const SCRIPTS: [&str; 2] = ["rabbitmq-env", "rabbitmq-defaults"];

/// Makes the home at `home`, of links into the package of `program`; returns its folder of scripts.
///
/// # Errors
///
/// The package has another layout, or the folder cannot be written.
pub(super) fn prepare(program: &Path, home: &Path) -> Result<PathBuf> {
    let program = program
        .canonicalize()
        .with_context(|| format!("cannot find {}", program.display()))?;
    let scripts = program
        .parent()
        .context("a program without a folder")?
        .to_owned();
    let libraries = scripts.with_file_name("plugins");

    if home.exists() {
        fs::remove_dir_all(home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    let own_scripts = home.join("sbin");
    for name in SCRIPTS {
        link(&scripts.join(name), &own_scripts.join(name))?;
    }
    for library in needed(&applications(&libraries)?)? {
        let name = library
            .file_name()
            .context("an application without a folder")?;
        link(library, &home.join("plugins").join(name))?;
    }
    Ok(own_scripts)
}

/// The folder of each application in the package by the application's name; folder names end in a
/// version.
fn applications(libraries: &Path) -> Result<HashMap<String, PathBuf>> {
    let entries =
        fs::read_dir(libraries).with_context(|| format!("cannot read {}", libraries.display()))?;
    let mut found = HashMap::new();
    for entry in entries {
        let path = entry?.path();
        let folder = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some((name, _version)) = folder.rsplit_once('-') {
            found.insert(name.to_owned(), path);
        }
    }
    Ok(found)
}

/// The folders of the broker and its dependencies; what the package lacks belongs to Erlang itself.
fn needed(applications: &HashMap<String, PathBuf>) -> Result<Vec<&Path>> {
    let mut needed = Vec::new();
    let mut open = vec![BROKER.to_owned()];
    while let Some(name) = open.pop() {
        let Some(folder) = applications.get(&name).map(PathBuf::as_path) else {
            continue;
        };
        if needed.contains(&folder) {
            continue;
        }
        needed.push(folder);
        let resource = folder.join("ebin").join(format!("{name}.app"));
        let text = fs::read_to_string(&resource)
            .with_context(|| format!("cannot read {}", resource.display()))?;
        open.extend(named_by(&text));
    }
    Ok(needed)
}

/// The dependencies in an application's resource file: `{applications, [kernel, stdlib, ra]}`.
fn named_by(resource: &str) -> Vec<String> {
    let Some((_, rest)) = resource.split_once("{applications") else {
        return Vec::new();
    };
    let list = rest.split_once('[').map_or("", |(_, list)| list);
    list.split(']')
        .next()
        .unwrap_or_default()
        .split(',')
        .map(|name| name.trim().trim_matches('\'').to_owned())
        .collect()
}

fn link(target: &Path, path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    symlink(target, path).with_context(|| format!("cannot create {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::named_by;

    #[test]
    fn an_application_names_what_it_needs() {
        let resource = "{application, 'ra', [\n\t{modules, ['ra','ra_app']},\n\t{registered, [ra_sup]},\n\
                        \t{applications, [kernel,'stdlib',\n\t  gen_batch_server, aten]},\n\t{mod, {ra_app, []}}\n]}.";
        assert_eq!(
            named_by(resource),
            ["kernel", "stdlib", "gen_batch_server", "aten"]
        );
    }
}
