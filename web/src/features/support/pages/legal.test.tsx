import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

test.each(['/login', '/register', '/ad-welcome'])(
  'a visitor finds the legal texts below %s',
  async (path) => {
    const { user } = openApp(path, { token: null });
    const footer = await screen.findByRole('contentinfo');
    expect(await within(footer).findAllByRole('link')).toHaveLength(4);
    await user.click(within(footer).getByRole('link', { name: 'Privacy' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Privacy' })).toBeVisible();
    expect(await screen.findByText('Adfolio Ltd, 1 Example Street.')).toBeVisible();
    expect(screen.getAllByRole('listitem')).toHaveLength(2);
    expect(address()).toBe('/legal/privacy');
    await user.click(screen.getByRole('button', { name: 'Back' }));
    expect(address()).toBe(path);
  },
);

test('only texts that exist are linked', async () => {
  server.use(http.get('*/api/basic_config', () => ok(basicConfig({ legal: ['terms'] }))));
  openApp('/account');
  const footer = await screen.findByRole('contentinfo');
  expect(await within(footer).findByRole('link', { name: 'Terms' })).toBeVisible();
  expect(within(footer).getAllByRole('link')).toHaveLength(1);
});

test('a text that nobody has written says so, and one that fails can be asked for again', async () => {
  server.use(http.get('*/api/legal', () => refusal(405, 'Not found', { reason: 'NOT_FOUND' })));
  const { unmount } = openApp('/legal/fees', { token: null });
  expect(await screen.findByText('This text has not been published yet')).toBeVisible();
  unmount();
  server.use(http.get('*/api/legal', () => refusal(500, 'Not now', { reason: 'UNAVAILABLE' })));
  const { user } = openApp('/legal/terms', { token: null });
  expect(await screen.findByText('Not now')).toBeVisible();
  server.resetHandlers();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Adfolio Ltd, 1 Example Street.')).toBeVisible();
});
