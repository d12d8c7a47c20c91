import { expect, test } from 'vitest';
import topics from '../../../../gateway/src/staff_stream/topic.rs?raw';
import { ACCESS } from '../api/access';
import { LIVE_KINDS, staleKeys } from './kinds';

/** What staff read that no event is about, or that no page reads anew by itself. */
const UNTOLD = [
  'GET /admin/announcement/audience',
  'GET /admin/claims',
  'GET /admin/me',
  'GET /admin/passkeys',
  'GET /admin/payment_batch/csv',
  'GET /admin/payment_batch/pain001',
  'GET /admin/stream',
  'GET /admin/user/coupons',
  'GET /admin/user/destinations',
  'GET /admin/user/flow',
  'GET /admin/user/notices',
  'GET /admin/user/security_log',
  'GET /admin/user/statement',
  'GET /admin/wallet/reconcile',
];

const paths = () => staleKeys(LIVE_KINDS).map(([, path]) => String(path));

test('the console knows each kind of the gateway, and no other', () => {
  const [, body = ''] = /Topic \{([\s\S]*?)\n {4}\}/.exec(topics) ?? [];
  const names = [...body.matchAll(/^ +(\w+),$/gm)].map(([, name = '']) =>
    name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
  );
  expect(names.length).toBeGreaterThan(10);
  expect([...LIVE_KINDS].sort()).toEqual(names.sort());
});

test('everything that staff read is read anew by an event, or is known to have none', () => {
  const reads = Object.keys(ACCESS).filter((call) => call.startsWith('GET '));
  const told = paths().map((path) => `GET ${path}`);
  expect(reads.filter((call) => !told.includes(call)).sort()).toEqual(UNTOLD);
});

test('what several kinds change is read anew once, and the proof of the books never', () => {
  expect(new Set(paths()).size).toBe(paths().length);
  expect(paths()).not.toContain('/admin/wallet/reconcile');
  expect(staleKeys(['feedback'])).toEqual([
    ['console', '/admin/today'],
    ['console', '/admin/feedback/list'],
  ]);
});
