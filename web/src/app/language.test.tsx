import { cleanup, screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { changeLanguage, startTranslations } from '@/i18n';
import { sessionStore, setLang } from '@/lib/session/store';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

afterEach(async () => {
  // A mounted app would follow the user's language at once.
  cleanup();
  vi.restoreAllMocks();
  await changeLanguage('en');
  setLang('en', false);
  localStorage.clear();
});

const browserIn = (...languages: string[]) =>
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);

test('nobody has chosen: the platform says which language the browser’s stands for', async () => {
  browserIn('nl-NL');
  server.use(
    http.get('*/api/basic_config', () =>
      ok(basicConfig({ client_language_map: [{ source: 'nl,nl-be', targets: 'zh' }] })),
    ),
  );
  openApp('/login', { token: null });
  await waitFor(() => expect(document.documentElement.lang).toBe('zh-Hans'));
  expect(sessionStore.get()).toMatchObject({ lang: 'zh', langChosen: false });
  // The next visit reads it from the stored copy at once.
  setLang('en', false);
  await startTranslations();
  expect(document.documentElement.lang).toBe('zh-Hans');
});

test('a choice is kept and wins over browser and account', async () => {
  browserIn('zh-CN');
  setLang('en', true);
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ lang: 'jp' }))));
  openApp('/account');
  expect(await screen.findByText('Demo Advertiser')).toBeVisible();
  expect(sessionStore.get()).toMatchObject({ lang: 'en', langChosen: true });
});

test('after a login the account’s language applies where nobody has chosen', async () => {
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ lang: 'zh' }))));
  openApp('/account');
  await waitFor(() => expect(document.documentElement.lang).toBe('zh-Hans'));
  expect(sessionStore.get().langChosen).toBe(false);
});

test('a choice while logged in reaches the account, and the server’s texts are asked for again', async () => {
  const told: unknown[] = [];
  const asked: (string | null)[] = [];
  server.use(
    http.post('*/api/user/info/edit', async ({ request }) => {
      told.push(await request.json());
      return ok(fixtures.userInfo({ lang: 'zh' }));
    }),
    http.post('*/api/user/notifications', ({ request }) => {
      asked.push(request.headers.get('X-Lang'));
      return ok({ items: fixtures.notifications, next_cursor: null, unread_total: 2 });
    }),
  );
  const { user } = openApp('/notification');
  await screen.findByText('Deposit credited');
  await user.click(await screen.findByRole('button', { name: 'Language' }));
  await user.click(await screen.findByRole('option', { name: '简体中文' }));
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(told).toEqual([{ lang: 'zh' }]));
  await waitFor(() => expect(asked.at(-1)).toBe('zh'));
  expect(asked[0]).toBe('en');
  expect(localStorage.getItem('adfolio.lang')).toBe('zh');
});

test('a choice that the account could not be told of is told with the next visit', async () => {
  const told: unknown[] = [];
  server.use(
    http.post('*/api/user/info/edit', async ({ request }) => {
      told.push(await request.json());
      return told.length === 1 ? refusal(500, '') : ok(fixtures.userInfo({ lang: 'zh' }));
    }),
  );
  const { user, unmount } = openApp('/account');
  await screen.findByText('Demo Advertiser');
  await user.click(await screen.findByRole('button', { name: 'Language' }));
  await user.click(await screen.findByRole('option', { name: '简体中文' }));
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(told).toHaveLength(1));
  unmount();
  openApp('/ad-center');
  await waitFor(() => expect(told).toEqual([{ lang: 'zh' }, { lang: 'zh' }]));
});

test('a blocked account is told in its own language', async () => {
  server.use(
    http.get('*/api/user/property', () =>
      refusal(403, '账户已停用，请联系客服', { reason: 'ACCOUNT_DISABLED', lang: 'zh' }),
    ),
  );
  openApp('/wallet');
  expect(await screen.findByRole('dialog')).toHaveTextContent('账户已停用，请联系客服');
  expect(document.documentElement.lang).toBe('zh-Hans');
});

test('the sheet opens at the current language', async () => {
  setLang('de', true);
  const scrolled = vi.spyOn(Element.prototype, 'scrollTo').mockImplementation(() => undefined);
  const { user } = openApp('/notification');
  await user.click(await screen.findByRole('button', { name: 'Language' }));
  expect(await screen.findByRole('option', { name: 'Deutsch', selected: true })).toBeVisible();
  await waitFor(() => expect(scrolled).toHaveBeenCalledWith({ top: 5 * 44 }));
});
