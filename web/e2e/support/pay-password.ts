import { createHash } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import type { Api } from './api';

export const PAY_PASSWORD = '246810';

/** As the app sends a transaction password. */
export const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Sets a new advertiser's transaction password outside the browser. */
export async function setPayPassword(api: Api, digits = PAY_PASSWORD): Promise<void> {
  const password = md5(digits);
  await api.post('/set/password', { password, confirm_password: password });
}

/** The second step of a review; `page` is on the first. */
export async function enterPayPassword(page: Page, digits = PAY_PASSWORD): Promise<Locator> {
  const sheet = page.getByRole('dialog', { name: 'Transaction password' });
  await sheet.getByLabel('Enter your 6-digit transaction password').fill(digits);
  return sheet.getByRole('button', { name: 'OK' });
}
