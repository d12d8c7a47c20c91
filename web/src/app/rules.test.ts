import { expect, test } from 'vitest';
import { routeOf, routes } from './routes';
import { backStep, badgeText, firstRoute, redirectOf } from './rules';

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

test.each([
  ['/', '', false, '/login'],
  ['/', '', true, '/ad-center'],
  ['/login', '', true, '/ad-center'],
  ['/wallet/', '', true, '/wallet'],
  ['/wallet', '', false, '/login'],
  ['/entry', 'token=t', false, '/entry'],
  ['/entry', 'lang=de', false, '/ad-welcome'],
  ['/no-such-page', '', true, '/404'],
])('a visit to %s?%s, logged in: %s, begins with the page of %s', (path, search, hasToken, first) => {
  expect(firstRoute(path, search, hasToken).path).toBe(first);
});

test('the pages that need no login are the ones that cannot', () => {
  expect(routes.filter(({ login }) => !login).map(({ path }) => path)).toEqual([
    '/login',
    '/register',
    '/ad-welcome',
    '/entry',
    '/not-me',
    '/legal/imprint',
    '/legal/terms',
    '/legal/privacy',
    '/legal/fees',
    '/404',
  ]);
});

/** The header of every page: title, back, bell, language, logout, customer service, look. */
const HEADERS: Record<string, string | null> = {
  '/login': 'back: none, language, service',
  '/register': 'back: none, language, service',
  '/ad-welcome': 'back: none, light',
  '/entry': null,
  '/not-me': 'back: none, language, service',
  '/ad-center': 'title, back: host, bell, language, logout',
  '/ad-center/activities': 'title, back: history, bell, language',
  '/ad-center/coupons': 'title, back: history, bell, language',
  '/ad-center/edit-login-password': 'title, back: history, bell, language',
  '/ad-center/edit-pay-password': 'title, back: history, bell, language',
  '/ad-center/feedback': 'title, back: history, bell, language',
  '/ad-center/level': 'title, back: history, bell, language',
  '/ad-center/operated': 'title, back: history, bell, language',
  '/ad-center/ques-detail': 'title, back: history',
  '/ad-center/security': 'title, back: history, bell, language',
  '/customer': 'title, back: history',
  '/plan': 'title, back: /ad-center, bell, language, logout',
  '/plan/detail': 'title, back: history, bell, language',
  '/plan/reports': 'title, back: history, bell, language',
  '/plan/goods-detail': 'title, back: history, bell, language, plain',
  '/wallet': 'title, back: history, bell, language',
  '/wallet/fund-details': 'title, back: history, bell, language',
  '/wallet/withdraw': 'title, back: /wallet, bell, language',
  '/wallet/bind-card': 'title, back: history, bell, language',
  '/wallet/foreign-exchange': 'title, back: history, bell, language, light',
  '/wallet/set-password': 'title, back: history, bell, language',
  '/account': 'title, back: /ad-center, bell, language',
  '/notification': 'title, back: history, bell, language',
  '/legal/imprint': 'title, back: history',
  '/legal/terms': 'title, back: history',
  '/legal/privacy': 'title, back: history',
  '/legal/fees': 'title, back: history',
  '/404': 'title, back: history, bell, language',
};

test('every page has the header that was agreed on', () => {
  const told = routes.map(({ path, header }) => {
    if (!header) return [path, null];
    const parts = [
      header.title && 'title',
      `back: ${header.back}`,
      header.bell && 'bell',
      header.language && 'language',
      header.logout && 'logout',
      header.service && 'service',
      header.transparent,
    ];
    return [path, parts.filter(Boolean).join(', ')];
  });
  expect(Object.fromEntries(told)).toEqual(HEADERS);
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
  expect(backStep('history', false, false, '/plan')).toEqual({ to: '/plan' });
  expect(backStep('history', false, true, '/plan')).toEqual({ step: 'history' });
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
