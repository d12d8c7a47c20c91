import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { goTo, logIn, type Member, newMember } from './support/console';

type Schemas = components['schemas'];

/** Passkeys belong to a host name: the test's 127.0.0.1 has none, so these pages are opened at `localhost`. */
test.use({
  baseURL: (process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080').replace('127.0.0.1', 'localhost'),
});

/** Gives the page a device that holds passkeys and knows its owner, as a phone with a fingerprint does. */
async function withDevice(page: Page): Promise<{ takeAway: () => Promise<void> }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    takeAway: async () => {
      await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await devtools.detach();
    },
  };
}

/** Adds a passkey of the device to the member who is logged in. */
async function addPasskey(page: Page, name: string): Promise<void> {
  await goTo(page, '/own-security');
  const panel = page.getByRole('region', { name: 'Passkeys' });
  await panel.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(panel.getByText('Give it a name.')).toBeVisible();
  await panel.getByLabel('Name').fill(name);
  await panel.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText(`The passkey “${name}” is added.`)).toBeVisible();
  await expect(panel.getByRole('rowheader', { name })).toBeVisible();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page.getByLabel('Username')).toBeVisible();
}

async function logInByPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
}

async function openWithPasskey(page: Page, member: Member) {
  const device = await withDevice(page);
  await logIn(page, member);
  await addPasskey(page, 'Work laptop');
  return device;
}

test('a passkey is the second factor, and logs in by itself', async ({ page }) => {
  const member = await newMember(await Api.staff(), 'support');
  await openWithPasskey(page, member);
  const panel = page.getByRole('region', { name: 'Passkeys' });
  await expect(panel).toContainText('This is your only second factor');
  await expect(panel.getByRole('button', { name: /^Remove/ })).toHaveCount(0);

  await logOut(page);
  await logIn(page, member);
  await expect(page.getByLabel('Code')).toBeVisible();
  await logInByPasskey(page);
  await expect(page.getByText(member.username).first()).toBeVisible();
});

test('an act asks for the passkey, and is made once it was shown', async ({ page }) => {
  const staff = await Api.staff();
  const member = await newMember(staff, 'support');
  const { user } = await newAdvertiser(staff);
  await openWithPasskey(page, member);
  // A session of a while ago: the server refuses the first call so.
  await page.route(
    '**/api/admin/user/detail',
    (route) =>
      route.fulfill({
        json: { code: 400, msg: 'Second factor', data: { reason: 'SECOND_FACTOR_REQUIRED' } },
      }),
    { times: 1 },
  );
  await goTo(page, `/users/${user.id}`);
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const confirmed = page.waitForResponse('**/api/admin/passkey/confirm');
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  expect(((await (await confirmed).json()) as { code: number }).code).toBe(200);
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: user.username })).toBeVisible();
});

test('one of two passkeys is removed, and the other still opens the console', async ({ page }) => {
  const member = await newMember(await Api.staff(), 'finance');
  const laptop = await openWithPasskey(page, member);
  // A browser has one device of its own at a time.
  await laptop.takeAway();
  await withDevice(page);
  await addPasskey(page, 'Security key');
  await page.getByRole('button', { name: 'Remove “Work laptop”' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('The passkey “Work laptop” is removed.')).toBeVisible();
  const listed = await Api.staff().then((staff) =>
    staff.get<{ items: Schemas['ListedStaff'][] }>('/admin/staff/list'),
  );
  expect(listed.items.find(({ id }) => id === member.id)?.passkeys).toBe(1);
  await logOut(page);
  await logInByPasskey(page);
});

test('another address says where passkeys work', async ({ page }) => {
  await withDevice(page);
  const member = await newMember(await Api.staff(), 'support');
  await page.goto(`${process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080'}/console/`);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(
    page.getByText('Passkeys of this console work only at localhost. Open it there.'),
  ).toBeVisible();
  // The other way in is not touched by it.
  await page.getByLabel('Username').fill(member.username);
  await page.getByLabel('Password', { exact: true }).fill(member.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
});
