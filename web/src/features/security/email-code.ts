/** Digits of the code in the mail. */
export const EMAIL_CODE_DIGITS = 8;

/** Whether a text can be such a code; blanks and hyphens do not matter. */
export function isEmailCode(text: string): boolean {
  return /^\d{8}$/.test(text.replace(/[\s-]/g, ''));
}
