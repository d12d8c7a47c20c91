import { expect, test } from 'vitest';
import { checkProfile, initialsOf, profileChange, profileFieldOf } from './rules';

const current = { nickname: 'Ada', email: 'ada@example.com', phone: '+4915112345678' };

test('a profile is refused where it is certainly wrong', () => {
  expect(checkProfile(current, current)).toEqual({});
  expect(checkProfile({ nickname: ' ', email: '', phone: '' }, current)).toEqual({
    nickname: 'nickname_required',
    email: 'email_required',
    phone: 'phone_required',
  });
  expect(checkProfile({ nickname: 'Ada', email: 'a@b', phone: '12' }, current)).toEqual({
    email: 'email_invalid',
    phone: 'phone_invalid',
  });
});

test('an account that never had an address may go on without', () => {
  const bare = { nickname: 'Ada', email: '', phone: '' };
  expect(checkProfile(bare, bare)).toEqual({});
});

test('only what differs is sent', () => {
  expect(profileChange({ ...current, nickname: ' Ada ' }, current, undefined)).toBeNull();
  expect(profileChange({ ...current, nickname: 'Grace ' }, current, undefined)).toEqual({
    nickname: 'Grace',
  });
  expect(profileChange(current, current, 'file-1')).toEqual({ avatar_file_id: 'file-1' });
  expect(profileChange(current, current, '')).toEqual({ avatar_file_id: '' });
  expect(profileFieldOf('email')).toBe('email');
  expect(profileFieldOf('avatar_file_id')).toBeNull();
});

test('letters stand for a name in any script', () => {
  expect(initialsOf('Demo Advertiser Ltd')).toBe('DA');
  expect(initialsOf('ada.lovelace')).toBe('AL');
  expect(initialsOf('広告')).toBe('広');
  expect(initialsOf('')).toBe('');
});
