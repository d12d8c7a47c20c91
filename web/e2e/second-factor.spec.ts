import { expect, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api } from './support/api';
import { ADMIN, goTo, logIn, logInWithCode, setUpApp } from './support/console';
import { nextTotp } from './support/totp';

type Schemas = components['schemas'];

test('who must have a second factor does nothing before, and everything once it is set up', async ({
  page,
  request,
}) => {
  await logIn(page, ADMIN);
  await expect(page.getByText('Until your second factor is set up you can do nothing else.')).toBeVisible();
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  await expect(pages).toHaveCount(0);
  await goTo(page, '/users');
  await expect(page.getByRole('table')).toHaveCount(0);
  // The server says the same to who asks it without the console.
  const visitor = await Api.withToken('');
  const session = await visitor.post<Schemas['StaffSession']>('/admin/login', ADMIN);
  const answer = await request.get('/api/admin/user/list', { headers: { 'X-CT': session.token } });
  expect((await answer.json()).data.reason).toBe('SECOND_FACTOR_REQUIRED');

  const secret = await setUpApp(page);
  await expect(pages).not.toHaveCount(0);
  await goTo(page, '/users');
  await expect(page.getByRole('table')).toBeVisible();
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await logInWithCode(page, ADMIN, nextTotp(secret));
  await expect(pages).not.toHaveCount(0);
});
