import { expect, test } from 'vitest';
import { checkPasswordChange, passwordFieldOf, textOfError } from './login-password';

const good = {
  old_password: 'correct horse',
  new_password: 'battery staple',
  confirm_password: 'battery staple',
};

test('a change needs the old password and twice the same new one', () => {
  expect(checkPasswordChange(good)).toEqual({});
  expect(checkPasswordChange({ old_password: '', new_password: '', confirm_password: '' })).toEqual({
    old_password: 'old_required',
    new_password: 'new_required',
    confirm_password: 'confirm_required',
  });
  expect(checkPasswordChange({ ...good, confirm_password: 'other' })).toEqual({ confirm_password: 'differ' });
});

test('a new password is new and long enough', () => {
  const short = { ...good, new_password: 'short', confirm_password: 'short' };
  expect(checkPasswordChange(short)).toEqual({ new_password: 'password_short' });
  const same = { ...good, new_password: good.old_password, confirm_password: good.old_password };
  expect(checkPasswordChange(same)).toEqual({ new_password: 'unchanged' });
});

test('errors of any new password have the texts of the registration', () => {
  expect(textOfError('password_long')).toBe('auth.error.password_long');
  expect(textOfError('unchanged')).toBe('security_login.error.unchanged');
});

test('a refusal finds its field by its reason or by name', () => {
  expect(passwordFieldOf(null, 'WRONG_PASSWORD')).toBe('old_password');
  expect(passwordFieldOf('new_password', 'VALIDATION')).toBe('new_password');
  expect(passwordFieldOf(null, 'TOO_MANY_ATTEMPTS')).toBeNull();
});
