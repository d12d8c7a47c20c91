//! What staff may publish.

use std::collections::BTreeSet;
use std::collections::HashMap;

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;

use crate::localized::{self, Form};
use crate::notice::{Category, Message};

/// Characters of a title at most.
const LONGEST_TITLE: usize = 200;

/// Characters of a text at most.
const LONGEST_CONTENT: usize = 5_000;

/// Users of one notification at most; what is for more is for all.
const MOST_USERS: usize = 1_000;

/// To whom a notification goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipients {
    /// To everybody who is registered by now.
    All,
    /// To these, each once, in the order of their ids.
    Users(Vec<UserId>),
}

impl Recipients {
    /// The users with these ids.
    pub fn users(ids: &[String]) -> Result<Self, Refusal> {
        if !(1..=MOST_USERS).contains(&ids.len()) {
            return Err(Refusal::invalid("to"));
        }
        let users: BTreeSet<UserId> = ids
            .iter()
            .map(|id| wire::id(id, "to"))
            .collect::<Result<_, _>>()?;
        Ok(Self::Users(users.into_iter().collect()))
    }
}

/// What is published.
#[derive(Clone, Debug)]
pub struct Publication {
    pub category: Category,
    pub to: Recipients,
    pub message: Message,
}

/// Checks title and text as they were sent.
pub fn check_message(
    title: HashMap<String, String>,
    content: HashMap<String, String>,
) -> Result<Message, Refusal> {
    Ok(Message {
        title: localized::check(title, Form::Line, LONGEST_TITLE, "title")?,
        content: localized::check(content, Form::Paragraphs, LONGEST_CONTENT, "content")?,
    })
}
