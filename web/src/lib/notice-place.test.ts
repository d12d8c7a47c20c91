import { expect, test } from 'vitest';
import { messagePath, targetPath } from './notice-place';

test('a notice leads to what it is about', () => {
  expect(targetPath({ kind: 'plan', id: 'p 1' })).toBe('/plan/detail?id=p%201');
  expect(targetPath({ kind: 'entry', id: 'e-1' })).toBe('/wallet/fund-details?entry=e-1');
  expect(targetPath({ kind: 'withdrawal', id: 'w' })).toBe('/wallet/withdraw?id=w');
  expect(targetPath({ kind: 'exchange', id: 'x' })).toBe('/wallet/foreign-exchange?order=x');
  expect(targetPath({ kind: 'coupon', id: 'c' })).toBe('/ad-center/coupons');
  expect(targetPath({ kind: 'of a newer server', id: 'n' })).toBeNull();
  expect(targetPath(null)).toBeNull();
});

test('a push message always leads somewhere', () => {
  expect(messagePath('plan', { kind: 'plan', id: 'p' })).toBe('/plan/detail?id=p');
  expect(messagePath('security', undefined)).toBe('/ad-center/security');
  expect(messagePath('money', { kind: 'of a newer server', id: 'n' })).toBe('/notification');
  expect(messagePath(undefined, undefined)).toBe('/notification');
});
