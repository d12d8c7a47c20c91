import { expect, test } from 'vitest';
import { follow, follows } from '@/test/fixtures-account';
import {
  checkProfile,
  currentFollow,
  followErrorOf,
  initialsOf,
  levelsAround,
  profileChange,
  profileFieldOf,
} from './rules';

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

test('the scale shows the levels around the own one and begins at 1', () => {
  expect(levelsAround(1)).toEqual([1, 2, 3, 4, 5]);
  expect(levelsAround(3)).toEqual([1, 2, 3, 4, 5]);
  expect(levelsAround(11)).toEqual([9, 10, 11, 12, 13]);
});

test('the current operator is the one whose following goes on', () => {
  expect(currentFollow(follows, 'operator-1')?.operator_name).toBe('Northwind Media');
  expect(currentFollow([follow({ ended_at: '2026-11-20T00:00:00.000Z' })], 'operator-1')).toBeNull();
  expect(currentFollow(follows, null)).toBeNull();
});

test('only refusals of the id belong to its field', () => {
  expect(followErrorOf('FOLLOW_ID_ERROR')).toBe('unknown');
  expect(followErrorOf('FOLLOW_ID_CURRENT')).toBe('current');
  expect(followErrorOf('UNAVAILABLE')).toBeNull();
});
