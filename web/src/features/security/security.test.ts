import { expect, test } from 'vitest';
import { textOfEntry } from './activity';
import { deviceNames, isPhone } from './device';

test.each([
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36', 'Chrome Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Mobile/15E148 Safari/604.1',
    'Safari iOS',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox macOS'],
  ['curl/8.14.1', 'curl/8.14.1'],
])('a device is named by its browser and system: %s', (userAgent, names) => {
  expect(deviceNames(userAgent).join(' ')).toBe(names);
});

test('a device that says nothing has no name, and one that says much a short one', () => {
  expect(deviceNames(null)).toEqual([]);
  expect(deviceNames('x'.repeat(256))).toEqual(['x'.repeat(40)]);
  expect(isPhone(null)).toBe(false);
  expect(isPhone('Mozilla/5.0 (Linux; Android 15)')).toBe(true);
});

test('an unknown action is said in general words', () => {
  expect(textOfEntry('wallet.deposit', 'staff')).toBe('security.action.wallet.deposit');
  expect(textOfEntry('wallet.something_new', 'staff')).toBe('security.unknown.staff');
  expect(textOfEntry('wallet.something_new', 'user')).toBe('security.unknown.user');
});
