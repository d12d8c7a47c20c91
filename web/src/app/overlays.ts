/** The language sheet, which the header shows and the account page opens, too. */
export const LANGUAGE_OVERLAY = 'language';
