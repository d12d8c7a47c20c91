import { type Browser, expect, type Page } from '@playwright/test';
import type { components } from '../../src/lib/api/schema';
import { Api, uniqueName } from './api';
import { totp } from './totp';

type Schemas = components['schemas'];
export type Role = Schemas['StaffRole'];

export type Member = { id: string; username: string; password: string };

export const PASSWORD = 'correct horse battery staple';

/** A member of staff, made by one admin and confirmed by another. */
export async function newMember(staff: Api, role: Role): Promise<Member> {
  const username = uniqueName();
  const { id } = await staff.post<Schemas['Staff']>('/admin/staff/create', {
    username,
    password: PASSWORD,
    role,
  });
  const second = await Api.staff(SECOND_ADMIN.username, SECOND_ADMIN.password);
  await second.post('/admin/staff/confirm', { staff_id: id, reason: 'E2E' });
  return { id, username, password: PASSWORD };
}

export async function logIn(
  page: Page,
  { username, password }: Pick<Member, 'username' | 'password'>,
): Promise<void> {
  await page.goto('/console/');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Logs in where the server asks for a code of the second factor. */
export async function logInWithCode(
  page: Page,
  member: Pick<Member, 'username' | 'password'>,
  code: string,
): Promise<void> {
  await logIn(page, member);
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Sets up an authenticator app for the member whose session this is; returns its secret. */
export async function setUpApp(page: Page): Promise<string> {
  await goTo(page, '/own-security');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const app = await page.getByRole('link', { name: 'Open in an app on this device' }).getAttribute('href');
  const secret = new URL(app ?? '').searchParams.get('secret') ?? '';
  await page.getByLabel('I have kept the recovery codes').check();
  await page.getByLabel('Code of the app').fill(totp(secret));
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.getByText(/^Your authenticator app is set up/)).toBeVisible();
  return secret;
}

/** A page of its own with a member's session, as on another computer. */
export async function openConsole(
  browser: Browser,
  member: Pick<Member, 'username' | 'password'>,
): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await logIn(page, member);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  return page;
}

export const ADMIN = {
  username: 'admin',
  password: process.env.ADFOLIO_ADMIN_PASSWORD ?? 'adfolio-admin',
};

export const SECOND_ADMIN = {
  username: 'admin2',
  password: process.env.ADFOLIO_ADMIN2_PASSWORD ?? 'adfolio-admin2',
};

/** Goes to a page of the console without loading it anew. */
export async function goTo(page: Page, path: string): Promise<void> {
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#${path}`);
  await expect(page.locator(`main[data-path="${path.split('?')[0]}"]`)).toBeVisible();
}

/** Reads what an act came to, and puts it away: it stays for 20 s, and the next act may come to the same. */
export async function readOutcome(page: Page, text: string): Promise<void> {
  const outcome = page
    .getByRole('region', { name: 'Outcomes' })
    .getByRole('alertdialog')
    .filter({ hasText: text });
  await expect(outcome).toBeVisible();
  await outcome.getByRole('button', { name: 'Dismiss' }).click();
  await expect(outcome).toHaveCount(0);
}

/** What the browser reports as wrong, such as a style that the content security policy refuses. */
export function faultsIn(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}
