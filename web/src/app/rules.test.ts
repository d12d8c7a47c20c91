import { expect, test } from 'vitest';
import { routeOf, routes } from './routes';
import { backStep, badgeText, redirectOf } from './rules';

const route = (path: string) => {
  const found = routeOf(path);
  if (!found) throw new Error(path);
  return found;
};

test('only a visitor without a token is sent away, an entry page with its query', () => {
  expect(redirectOf(route('/wallet'), true, '')).toBeNull();
  expect(redirectOf(route('/wallet'), false, '?x=1')).toBe('/login');
  expect(redirectOf(route('/login'), false, '')).toBeNull();
  expect(redirectOf(route('/entry'), false, '?lang=de&from=app')).toBe('/ad-welcome?lang=de&from=app');
});

test('the pages that need no login are the ones that cannot', () => {
  expect(routes.filter(({ login }) => !login).map(({ path }) => path)).toEqual([
    '/login',
    '/register',
    '/ad-welcome',
    '/entry',
    '/404',
  ]);
});

test('a trailing slash names the same page', () => {
  expect(routeOf('/plan/')?.path).toBe('/plan');
});

test('back closes the host, goes to the named route or back in the history', () => {
  expect(backStep('none', true, true)).toBeNull();
  expect(backStep('host', true, true)).toEqual({ step: 'close-host' });
  expect(backStep('host', false, true)).toBeNull();
  expect(backStep('/ad-center', false, true)).toEqual({ to: '/ad-center' });
  expect(backStep('history', false, true)).toEqual({ step: 'history' });
  expect(backStep('history', false, false)).toEqual({ to: '/ad-center' });
});

test.each([
  [undefined, null],
  [0, null],
  [1, '1'],
  [99, '99'],
  [100, '99+'],
])('%s unread shows %s', (unread, text) => {
  expect(badgeText(unread)).toBe(text);
});
