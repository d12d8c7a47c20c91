/** The server's bounds for the length of a login password, in characters. */
export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;

/** For the texts about a new password. */
export const PASSWORD_BOUNDS = { min: PASSWORD_MIN, max: PASSWORD_MAX };

/** A key below `auth.error`. */
export type NewPasswordError = 'password_short' | 'password_long' | 'password_blank';

/** Nothing to see: blanks, and characters that show nothing. */
const BLANK = /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u;

/** Refuses only what is certainly wrong. The server knows more reasons. */
export function checkNewPassword(password: string): NewPasswordError | undefined {
  const { length } = [...password];
  if (length < PASSWORD_MIN) return 'password_short';
  if (length > PASSWORD_MAX) return 'password_long';
  return BLANK.test(password) ? 'password_blank' : undefined;
}
