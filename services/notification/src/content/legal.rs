//! Texts that the law or the business asks for. None is built in: only who runs the service can write them.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;

use crate::localized::{self, Form, Texts};

/// Characters of a text at most.
const LONGEST_TEXT: usize = 20_000;

names! {
    /// Which text, in the order in which they are linked. Its name is the name of its part of the content.
    Legal {
        /// Who runs the service.
        Imprint,
        /// Terms of service.
        Terms,
        /// Privacy policy.
        Privacy,
        /// Fees.
        Fees,
    }
}

/// Texts in every language; those that staff have not written are missing.
pub type LegalTexts = BTreeMap<Legal, Texts>;

/// Checks texts as they were sent; what is wrong is named like `terms.de`. An empty text takes the present one away.
pub fn check(sent: BTreeMap<Legal, HashMap<String, String>>) -> Result<LegalTexts, Refusal> {
    let check = |(legal, texts): (Legal, HashMap<String, String>)| {
        let field = legal.as_str();
        let texts = localized::check_optional(texts, Form::Paragraphs, LONGEST_TEXT, field)?;
        Ok((legal, texts))
    };
    sent.into_iter().map(check).collect()
}
