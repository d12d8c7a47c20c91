//! Copying whole folders, readable by their owner only.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::process::Account;

const BUFFER_BYTES: usize = 256 * 1024;

/// The SHA-256 of each file of a folder, by its relative path.
pub(super) type Digests = BTreeMap<String, String>;

/// Makes a folder that only its owner may enter. It must not exist.
pub(super) fn make_private(folder: &Path, owner: Option<&Account>) -> Result<()> {
    DirBuilder::new()
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    owner.map_or(Ok(()), |owner| owner.own(folder))
}

/// Copies the files whose names `is_wanted` accepts; `to` must not exist. A file that disappears
/// meanwhile is left out.
pub(super) fn copy(
    from: &Path,
    to: &Path,
    owner: Option<&Account>,
    is_wanted: fn(&str) -> bool,
) -> Result<Digests> {
    let mut digests = Digests::new();
    make_private(to, owner)?;
    for path in below(from)? {
        let source = from.join(&path);
        let target = to.join(&path);
        if source.is_dir() {
            make_private(&target, owner)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default();
        if !is_wanted(&name.to_string_lossy()) {
            continue;
        }
        let file = match File::open(&source) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.with_context(|| format!("cannot read {}", source.display()))?,
        };
        let mut copied = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&target)
            .with_context(|| format!("cannot create {}", target.display()))?;
        let digest = digest(file, &mut copied)
            .with_context(|| format!("cannot copy {} to {}", source.display(), target.display()))?;
        if let Some(owner) = owner {
            owner.own(&target)?;
        }
        digests.insert(path.to_string_lossy().into_owned(), digest);
    }
    Ok(digests)
}

/// The digests of all files of a folder; none if the folder does not exist.
pub(super) fn digests(folder: &Path) -> Result<Digests> {
    let mut digests = Digests::new();
    if !folder.exists() {
        return Ok(digests);
    }
    for path in below(folder)? {
        let full = folder.join(&path);
        if full.is_file() {
            digests.insert(path.to_string_lossy().into_owned(), digest_of(&full)?);
        }
    }
    Ok(digests)
}

/// The SHA-256 of a file in hex.
pub(super) fn digest_of(path: &Path) -> Result<String> {
    File::open(path)
        .and_then(|file| digest(file, &mut io::sink()))
        .with_context(|| format!("cannot read {}", path.display()))
}

/// The total size of a folder's files.
pub(super) fn size(folder: &Path) -> Result<u64> {
    let mut bytes: u64 = 0;
    for path in below(folder)? {
        let metadata = fs::symlink_metadata(folder.join(&path))
            .with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_file() {
            bytes = bytes.saturating_add(metadata.len());
        }
    }
    Ok(bytes)
}

/// Flushes the file system of `folder` to the disk.
pub(super) fn flush(folder: &Path) -> Result<()> {
    let open = File::open(folder).with_context(|| format!("cannot open {}", folder.display()))?;
    sync(&open).with_context(|| format!("cannot flush {}", folder.display()))
}

#[cfg(target_os = "linux")]
fn sync(folder: &File) -> io::Result<()> {
    Ok(nix::unistd::syncfs(folder)?)
}

/// Other systems only flush all file systems, without an answer.
#[cfg(not(target_os = "linux"))]
fn sync(folder: &File) -> io::Result<()> {
    nix::unistd::sync();
    folder.sync_all()
}

/// Removes a folder if it exists.
pub(super) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn digest(mut from: File, to: &mut impl Write) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = from.read(&mut buffer)?;
        let Some(read) = buffer.get(..count).filter(|read| !read.is_empty()) else {
            return Ok(hex::encode(hasher.finalize()));
        };
        hasher.update(read);
        to.write_all(read)?;
    }
}

/// Everything below a folder, folders before their contents. The copied folders contain no links or
/// devices.
fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(path) = open.pop() {
        let full = folder.join(&path);
        let entries =
            fs::read_dir(&full).with_context(|| format!("cannot read {}", full.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", full.display()))?;
            let child = path.join(entry.file_name());
            let kind = match entry.file_type() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                kind => kind.with_context(|| format!("cannot read {}", child.display()))?,
            };
            if kind.is_dir() {
                open.push(child.clone());
            } else if !kind.is_file() {
                bail!(
                    "{} is neither a file nor a folder",
                    folder.join(&child).display()
                );
            }
            found.push(child);
        }
    }
    // Parents sort before their contents.
    found.sort();
    Ok(found)
}
