//! The log: an append-only Merkle tree (RFC 6962) over heads of chains.
//!
//! The bytes of a leaf are the UTF-8 text `adfolio-head-1|USER|SEQ|HASH`: the user's id, the number of a transaction in the
//! user's chain in decimal, and that transaction's hash in lower-case hex. The chains of the audit log and of delivery
//! reports have the ids [`AUDIT_LOG`] and [`REPORTS`] in the place of a user's.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use tlog_tiles::{HashReader, node_hash, record_hash, split_stored_hash_index};
use uuid::Uuid;

/// A SHA-256.
pub type Hash = [u8; 32];

/// The head of the bytes of a leaf; another form would get another one.
const FORMAT: &str = "adfolio-head-1";

/// Stands for a user's id in the heads of the audit log's chain.
pub const AUDIT_LOG: Uuid = Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0002);

/// Stands for a user's id in the heads of the chain of delivery reports.
pub const REPORTS: Uuid = Uuid::from_u128(0x00ad_f011_0000_7000_8000_0000_0000_0003);

/// The root of a log without leaves.
pub const EMPTY_ROOT: Hash = tlog_tiles::EMPTY_HASH.0;

/// Subtrees from this level on are worth storing; smaller ones, of at most 32 leaves, are made of their leaves.
pub const LEAVES_LEVEL: u8 = 6;

/// Levels of a 64-bit log.
const LEVELS: usize = 64;

/// The end of a user's chain at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whose chain it is.
    pub user_id: Uuid,
    /// Number of the last transaction.
    pub seq: i64,
    /// Hash of the last transaction.
    pub hash: Hash,
}

impl Head {
    /// What stands for it in the tree.
    pub fn leaf_hash(&self) -> Hash {
        record_hash(self.to_string().as_bytes()).0
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = hex::encode(self.hash);
        write!(f, "{FORMAT}|{}|{}|{hash}", self.user_id, self.seq)
    }
}

/// A text that is no leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a leaf of the form {FORMAT}|USER|SEQ|HASH")]
pub struct NoHead;

impl FromStr for Head {
    type Err = NoHead;

    fn from_str(text: &str) -> Result<Self, NoHead> {
        let parts: Vec<&str> = text.split('|').collect();
        let [FORMAT, user_id, seq, hash] = parts[..] else {
            return Err(NoHead);
        };
        let head = Self {
            user_id: user_id.parse().map_err(|_| NoHead)?,
            seq: seq.parse().map_err(|_| NoHead)?,
            hash: parse_hash(hash).ok_or(NoHead)?,
        };
        // One text for each head.
        (head.to_string() == text).then_some(head).ok_or(NoHead)
    }
}

/// A hash from hex.
pub fn parse_hash(text: &str) -> Option<Hash> {
    hex::decode(text).ok()?.try_into().ok()
}

/// The root of a complete subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// It has 2^level leaves.
    pub level: u8,
    /// Its place among the subtrees of that level.
    pub index: u64,
    /// Its root.
    pub hash: Hash,
}

/// The right edge of a log: all that is needed to append leaves and to know the root.
#[derive(Clone, Debug)]
pub struct Edge {
    size: u64,
    /// The complete subtree at each level, where the size has one.
    subtrees: [Hash; LEVELS],
}

impl Default for Edge {
    fn default() -> Self {
        Self {
            size: 0,
            subtrees: [EMPTY_ROOT; LEVELS],
        }
    }
}

impl Edge {
    /// Of a log of this size, whose subtrees `nodes` knows at least where [`Edge::needs`] says.
    pub fn new(size: u64, nodes: &Nodes) -> Result<Self, Unproven> {
        let mut edge = Self {
            size,
            ..Self::default()
        };
        for (level, index) in Self::needs(size) {
            edge.subtrees[usize::from(level)] = nodes.get(level, index).ok_or(Unproven)?;
        }
        Ok(edge)
    }

    /// The complete subtrees that make up a log of this size, by level and index.
    pub fn needs(size: u64) -> Vec<(u8, u64)> {
        let levels = (0..64_u8).filter(|level| size >> level & 1 == 1);
        levels
            .map(|level| (level, (size >> level).saturating_sub(1)))
            .collect()
    }

    /// How many leaves the log has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf; answers with every subtree that it completes, the leaf first.
    pub fn append(&mut self, leaf: Hash) -> impl Iterator<Item = Node> + use<> {
        let index = self.size;
        let completed = index.trailing_ones();
        let mut nodes = Vec::with_capacity(2);
        let mut hash = leaf;
        for level in 0..=u8::try_from(completed).unwrap_or(u8::MAX) {
            if level > 0 {
                hash = join(self.subtrees[usize::from(level) - 1], hash);
            }
            let index = index >> level;
            nodes.push(Node { level, index, hash });
        }
        self.subtrees[completed as usize] = hash;
        self.size = index.saturating_add(1);
        nodes.into_iter()
    }

    /// The root over all of them.
    pub fn root(&self) -> Hash {
        let levels = (0..LEVELS).filter(|level| self.size >> level & 1 == 1);
        let mut subtrees = levels.map(|level| self.subtrees[level]);
        let last = subtrees.next().unwrap_or(EMPTY_ROOT);
        subtrees.fold(last, |right, left| join(left, right))
    }
}

fn join(left: Hash, right: Hash) -> Hash {
    node_hash(tlog_tiles::Hash(left), tlog_tiles::Hash(right)).0
}

/// The root over 2^level leaves.
pub fn subtree(leaves: &[Hash]) -> Option<Hash> {
    let mut row = leaves.to_vec();
    if !row.len().is_power_of_two() {
        return None;
    }
    while row.len() > 1 {
        let pairs = row.chunks_exact(2);
        row = pairs.map(|pair| join(pair[0], pair[1])).collect();
    }
    row.first().copied()
}

/// Subtrees by level and index, from which proofs are made.
#[derive(Clone, Debug, Default)]
pub struct Nodes(BTreeMap<(u8, u64), Hash>);

impl Nodes {
    /// Adds a subtree.
    pub fn insert(&mut self, node: Node) {
        self.0.insert((node.level, node.index), node.hash);
    }

    /// The root of a subtree, if it is known.
    pub fn get(&self, level: u8, index: u64) -> Option<Hash> {
        self.0.get(&(level, index)).copied()
    }
}

impl HashReader for Nodes {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, tlog_tiles::Error> {
        let hash = |index: &u64| {
            let (level, n) = split_stored_hash_index(*index);
            self.get(level, n).map(tlog_tiles::Hash)
        };
        let hashes: Option<_> = indexes.iter().map(hash).collect();
        hashes.ok_or(tlog_tiles::Error::IndexesNotInTree)
    }
}

/// Notes what a proof asks for, and answers nothing of use.
#[derive(Default)]
struct Asked(std::cell::RefCell<Vec<(u8, u64)>>);

impl HashReader for Asked {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, tlog_tiles::Error> {
        let asked = indexes.iter().map(|index| split_stored_hash_index(*index));
        self.0.borrow_mut().extend(asked);
        Ok(vec![tlog_tiles::EMPTY_HASH; indexes.len()])
    }
}

/// A proof that cannot be made or does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof does not hold")]
pub struct Unproven;

/// What a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The log of `size` leaves has a leaf at `index`.
    Inclusion {
        /// Its place.
        index: u64,
        /// Of the log.
        size: u64,
    },
    /// The log of `size` leaves begins with all leaves of the log of `earlier` leaves.
    Consistency {
        /// The smaller size.
        earlier: u64,
        /// The larger one.
        size: u64,
    },
}

impl Claim {
    /// The subtrees that its proof is made of, by level and index; none where there is nothing to prove.
    pub fn needs(self) -> Vec<(u8, u64)> {
        let asked = Asked::default();
        // A claim that cannot be proven asks for nothing; `prove` refuses it.
        let _ = self.make(&asked);
        asked.0.into_inner()
    }

    /// The hashes from which the claim follows.
    pub fn prove(self, nodes: &Nodes) -> Result<Vec<Hash>, Unproven> {
        let path = self.make(nodes).map_err(|_| Unproven)?;
        Ok(path.into_iter().map(|hash| hash.0).collect())
    }

    fn make(self, nodes: &impl HashReader) -> Result<Vec<tlog_tiles::Hash>, tlog_tiles::Error> {
        match self {
            Self::Inclusion { index, size } => tlog_tiles::prove_record(size, index, nodes),
            Self::Consistency { earlier, size } => tlog_tiles::prove_tree(size, earlier, nodes),
        }
    }
}

/// Checks that the log of `size` leaves with this root has that leaf at `index`.
pub fn verify_inclusion(
    leaf: Hash,
    index: u64,
    size: u64,
    root: Hash,
    path: &[Hash],
) -> Result<(), Unproven> {
    // Also bounds the work for a path from outside.
    if index >= size || size > i64::MAX.unsigned_abs() || path.len() > LEVELS {
        return Err(Unproven);
    }
    let (root, leaf) = (tlog_tiles::Hash(root), tlog_tiles::Hash(leaf));
    tlog_tiles::check_record(&wrapped(path), size, root, index, leaf).map_err(|_| Unproven)
}

/// A log's size and root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// How many leaves it has.
    pub size: u64,
    /// The root over them.
    pub root: Hash,
}

/// Checks that the later state of a log only added leaves to the earlier one.
pub fn verify_consistency(earlier: State, later: State, path: &[Hash]) -> Result<(), Unproven> {
    if earlier.size > later.size || later.size > i64::MAX.unsigned_abs() || path.len() > 2 * LEVELS
    {
        return Err(Unproven);
    }
    // Nothing is needed to prove that a log follows the empty one.
    if earlier.size == 0 {
        return (earlier.root == EMPTY_ROOT && path.is_empty())
            .then_some(())
            .ok_or(Unproven);
    }
    let (before, after) = (tlog_tiles::Hash(earlier.root), tlog_tiles::Hash(later.root));
    tlog_tiles::check_tree(&wrapped(path), later.size, after, earlier.size, before)
        .map_err(|_| Unproven)
}

fn wrapped(path: &[Hash]) -> Vec<tlog_tiles::Hash> {
    path.iter().map(|hash| tlog_tiles::Hash(*hash)).collect()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn head(number: u64) -> Head {
        Head {
            user_id: Uuid::from_u128(u128::from(number)),
            seq: 1 + i64::try_from(number).expect("a number"),
            hash: [7; 32],
        }
    }

    /// RFC 6962, section 2.1, word for word.
    fn tree_head(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => *leaf,
            leaves => {
                let split = leaves.len().next_power_of_two() / 2;
                let (left, right) = leaves.split_at(split);
                let mut hash = Sha256::new();
                hash.update([1]);
                hash.update(tree_head(left));
                hash.update(tree_head(right));
                hash.finalize().into()
            }
        }
    }

    /// RFC 9162, section 2.1.3.2.
    fn root_by_path(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
        let (mut place, mut last, mut root) = (index, size.checked_sub(1)?, leaf);
        for step in path {
            if last == 0 {
                return None;
            }
            if place & 1 == 1 || place == last {
                root = join(*step, root);
                while place & 1 == 0 && place != 0 {
                    (place, last) = (place >> 1, last >> 1);
                }
            } else {
                root = join(root, *step);
            }
            (place, last) = (place >> 1, last >> 1);
        }
        (last == 0).then_some(root)
    }

    /// A log with all of its subtrees, and the root at each size.
    fn log(size: u64) -> (Nodes, Vec<Hash>, Vec<Hash>) {
        let (mut edge, mut nodes) = (Edge::default(), Nodes::default());
        let (mut leaves, mut roots) = (Vec::new(), vec![edge.root()]);
        for number in 0..size {
            let leaf = head(number).leaf_hash();
            leaves.push(leaf);
            edge.append(leaf).for_each(|node| nodes.insert(node));
            roots.push(edge.root());
        }
        (nodes, leaves, roots)
    }

    #[test]
    fn a_leaf_is_the_documented_one() {
        let text = format!(
            "adfolio-head-1|00000000-0000-0000-0000-000000000005|6|{}",
            "07".repeat(32)
        );
        assert_eq!(head(5).to_string(), text);
        assert_eq!(text.parse(), Ok(head(5)));
        let hash: Hash = Sha256::digest([b"\0", text.as_bytes()].concat()).into();
        assert_eq!(head(5).leaf_hash(), hash);
        for wrong in [
            "",
            "adfolio-head-1|x|6|07",
            &text.replace("-1|", "-2|"),
            &text.replace("|6|", "|06|"),
            &format!("{text}|"),
        ] {
            assert_eq!(wrong.parse::<Head>(), Err(NoHead), "{wrong}");
        }
    }

    #[test]
    fn every_root_and_every_inclusion_is_that_of_the_standard() {
        let (nodes, leaves, roots) = log(70);
        for size in 0..=70_u64 {
            let count = usize::try_from(size).expect("a size");
            assert_eq!(roots[count], tree_head(&leaves[..count]));
            assert_eq!(
                Edge::new(size, &nodes).expect("an edge").root(),
                roots[count]
            );
            for index in 0..size {
                let claim = Claim::Inclusion { index, size };
                let path = claim.prove(&nodes).expect("a proof");
                let leaf = leaves[usize::try_from(index).expect("an index")];
                assert_eq!(root_by_path(leaf, index, size, &path), Some(roots[count]));
                verify_inclusion(leaf, index, size, roots[count], &path).expect("included");
                let other = [leaf[0] ^ 1; 32];
                assert_eq!(
                    verify_inclusion(other, index, size, roots[count], &path),
                    Err(Unproven)
                );
            }
        }
    }

    #[test]
    fn every_size_is_consistent_with_every_one_before_and_with_no_other() {
        let (nodes, _, roots) = log(40);
        let state = |size: usize| State {
            size: size as u64,
            root: roots[size],
        };
        for later in 1..=40 {
            for earlier in 0..=later {
                let claim = Claim::Consistency {
                    earlier: earlier as u64,
                    size: later as u64,
                };
                let path = if earlier == 0 {
                    Vec::new()
                } else {
                    claim.prove(&nodes).expect("a proof")
                };
                verify_consistency(state(earlier), state(later), &path).expect("consistent");
                let rewritten = State {
                    root: [9; 32],
                    ..state(earlier)
                };
                assert_eq!(
                    verify_consistency(rewritten, state(later), &path),
                    Err(Unproven)
                );
                if earlier < later {
                    assert_eq!(
                        verify_consistency(state(later), state(earlier), &path),
                        Err(Unproven)
                    );
                }
            }
        }
    }

    #[test]
    fn a_proof_says_beforehand_what_it_needs() {
        let (all, _, _) = log(70);
        for claim in [
            Claim::Inclusion { index: 3, size: 69 },
            Claim::Consistency {
                earlier: 17,
                size: 70,
            },
        ] {
            let mut some = Nodes::default();
            for (level, index) in claim.needs() {
                let hash = all.get(level, index).expect("a node");
                some.insert(Node { level, index, hash });
            }
            assert_eq!(claim.prove(&some), claim.prove(&all));
            assert_eq!(claim.prove(&Nodes::default()), Err(Unproven));
        }
        let outside = Claim::Inclusion { index: 9, size: 9 };
        assert!(outside.needs().is_empty());
        assert_eq!(outside.prove(&all), Err(Unproven));
    }

    #[test]
    fn subtrees_join_leaves() {
        let (nodes, leaves, _) = log(64);
        assert_eq!(subtree(&leaves), nodes.get(6, 0));
        assert_eq!(subtree(&leaves[16..24]), nodes.get(3, 2));
        assert_eq!(subtree(&leaves[..3]), None);
    }
}
