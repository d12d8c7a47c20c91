import { type Browser, expect, type Page } from '@playwright/test';
import type { components } from '../../src/lib/api/schema';
import { Api, uniqueName } from './api';

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
