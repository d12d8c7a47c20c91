import { expect, test } from 'vitest';
import { checkNewPassword } from './login-password';

test.each([
  ['short', 'password_short'],
  ['😀😀😀😀😀😀😀', 'password_short'],
  ['😀😀😀😀😀😀😀😀', undefined],
  ['correct horse', undefined],
  [' blanks around ', undefined],
  ['x'.repeat(128), undefined],
  ['x'.repeat(129), 'password_long'],
  [' '.repeat(10), 'password_blank'],
  ['\u3000\u00a0\u2800\u200b'.repeat(3), 'password_blank'],
])('a new password has 8 to 128 characters, and not only blanks: %s', (password, error) => {
  expect(checkNewPassword(password)).toBe(error);
});
