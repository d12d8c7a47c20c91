import { expect, type Page, test } from '@playwright/test';
import type { components } from '../src/lib/api/schema';
import { Api, newAdvertiser } from './support/api';
import { openAs, settled, tapThoughCovered } from './support/app';

type Schemas = components['schemas'];

/** A picture of one pixel, and the same padded beyond the size limit. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const LIMIT_BYTES = 5 * 1024 * 1024;

const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: PIXEL });

const announced = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

/** A field's error stands below it and is its accessible description. */
async function expectWrong(page: Page, label: string, text: RegExp): Promise<void> {
  await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(text);
}

test('feedback arrives with its picture, after what was wrong with it', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await openAs(page, api.token, '/ad-center/feedback');

  await page.getByRole('button', { name: 'Submit' }).click();
  await expectWrong(page, 'Topic', /^Topic cannot be empty/);
  await expect(page.getByLabel('Topic')).toBeFocused();
  await expectWrong(page, 'Content', /^Content cannot be empty/);

  await page.getByLabel('Topic').fill('Delivery');
  await page.getByLabel('Content').fill('No clicks since noon.');
  const add = page.getByLabel('Add picture');
  await add.setInputFiles({ name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('plain text') });
  await expect(page.getByText('Please select an image file')).toBeVisible();
  await page.getByRole('button', { name: 'Remove fake.png' }).click();
  await add.setInputFiles({
    name: 'large.png',
    mimeType: 'image/png',
    buffer: Buffer.concat([PIXEL, Buffer.alloc(LIMIT_BYTES)]),
  });
  await expect(page.getByText('Image size over 5MB')).toBeVisible();
  await page.getByRole('button', { name: 'Remove large.png' }).click();
  await add.setInputFiles(picture('screen.png'));
  await expect(page.getByText('Uploaded')).toBeVisible();

  await page.getByRole('button', { name: 'Submit' }).dblclick();
  await expect(page.getByText('Submitted successfully')).toBeVisible();
  await page.getByRole('link', { name: 'Back to the ad centre' }).click();
  await expect(page).toHaveURL(/#\/ad-center$/);

  const { items } = await staff.get<Schemas['FeedbackPage']>('/admin/feedback/list?limit=100');
  const own = items.filter((feedback) => feedback.user.id === user.id);
  expect(own).toHaveLength(1);
  expect(own[0]).toMatchObject({ topic: 'Delivery', content: 'No clicks since noon.' });
  expect(own[0]?.images).toHaveLength(1);
});

test('a feedback that is not sent yet outlives a session that ends meanwhile', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user, password } = await newAdvertiser(staff);
  await openAs(page, api.token, '/ad-center/feedback');
  await page.getByLabel('Topic').fill('Delivery');
  await page.getByLabel('Content').fill('A long story');
  await page.getByLabel('Add picture').setInputFiles(picture('screen.png'));
  await expect(page.getByText('Uploaded')).toBeVisible();

  await api.post('/auth/logout', {});
  await tapThoughCovered(page.getByRole('button', { name: 'Submit' }));
  // An unknown token leads straight to the login; an expired one shows a message first.
  const again = page.getByRole('button', { name: 'Log in again' });
  await expect(again.or(page.getByLabel('Username'))).toBeVisible();
  if (await again.isVisible()) await again.click();
  await page.getByLabel('Username').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByLabel('Topic')).toHaveValue('Delivery');
  await expect(page.getByLabel('Content')).toHaveValue('A long story');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.getByText('Submitted successfully')).toBeVisible();
});

test('an operator is followed, and refused where the id is wrong or the same', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newAdvertiser(staff);
  const operator = await staff.post<Schemas['Operator']>('/admin/operator/create', {
    name: `Operator ${Date.now()}`,
  });
  await openAs(page, api.token, '/ad-center/operated');
  await expect(page.getByText('You follow nobody yet')).toBeVisible();
  const id = page.getByLabel('Operator ID', { exact: true });
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expectWrong(page, 'Operator ID', /^Please enter the operator ID/);
  await id.fill('nobody');
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expectWrong(page, 'Operator ID', /^Follow ID error/);

  await id.fill(operator.id);
  await page.getByRole('button', { name: 'Follow', exact: true }).dblclick();
  await expect(announced(page, 'Submitted successfully')).toBeVisible();
  const records = page.getByRole('region', { name: 'Follow records' });
  await expect(records.getByText(operator.name)).toBeVisible();
  await expect(records.getByText('Following')).toBeVisible();
  await expect(records.getByRole('listitem')).toHaveCount(1);

  await id.fill(operator.id);
  await page.getByRole('button', { name: 'Follow this operator instead' }).click();
  await expectWrong(page, 'Operator ID', /^This is the operator you already follow/);
  await expect(id).toHaveValue(operator.id);
});

test('a session that somebody else has is seen and ended, and what staff did is seen', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user, password } = await newAdvertiser(staff);
  const visitor = await Api.withToken('');
  const login = { username: user.username, password };
  const other = await Api.withToken((await visitor.post<Schemas['Session']>('/auth/v2/login', login)).token);
  await staff.deposit(user.id, '20.00');
  const log = async () => (await api.get<Schemas['SecurityEntryPage']>('/user/security/log')).items;
  await expect.poll(async () => (await log()).map(({ action }) => action)).toEqual(['wallet.deposit']);

  await openAs(page, api.token, '/account');
  await page.getByRole('link', { name: 'Security' }).click();
  const devices = page.getByRole('region', { name: 'Where you are logged in' });
  await expect(devices.getByText('This device')).toBeVisible();
  await expect(devices.getByRole('listitem')).toHaveCount(2);
  const activity = page.getByRole('region', { name: 'Activity on your account' });
  await expect(activity.getByRole('listitem')).toHaveText([/^Deposit credited20\.00Staff/]);

  await other.get('/user/info');
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  const dialog = page.getByRole('dialog', { name: 'End all other sessions?' });
  await dialog.getByRole('button', { name: 'End all other sessions' }).dblclick();
  await expect(announced(page, 'All other sessions have ended')).toBeVisible();
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await expect(activity.getByText('Other sessions ended')).toBeVisible();
  await expect(other.get('/user/info')).rejects.toThrow();
  await api.get('/user/info');
});

test('the login password is changed, which ends every session', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user, password } = await newAdvertiser(staff);
  await page.addInitScript(() => localStorage.setItem('adfolio.lang', 'en'));
  await page.goto('/#/login');
  await logIn(page, user.username, password);
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await page.getByRole('link', { name: 'Login password' }).click();

  const next = 'an even longer staple';
  await change(page, 'not my password', next, next);
  await expectWrong(page, 'Old password', /Wrong password/);
  await change(page, password, password, password);
  await expectWrong(page, 'New password', /^The new password must differ from the old one/);
  await change(page, password, next, 'something else');
  await expectWrong(page, 'Confirm new password', /^The two passwords entered do not match/);
  await change(page, password, 'short', 'short');
  await expectWrong(page, 'New password', /^Use at least 8 characters/);

  await change(page, password, next, next);
  await expect(announced(page, 'Password changed successfully, please log in again')).toBeVisible();
  await expect(page).toHaveURL(/#\/login$/);
  await expect(page.getByLabel('Username')).toHaveValue(user.username);
  await expect(api.get('/user/info')).rejects.toThrow();
  await logIn(page, user.username, password);
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await logIn(page, user.username, next);
  await expect(page).toHaveURL(/#\/ad-center$/);
});

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

async function change(page: Page, old: string, next: string, confirmation: string): Promise<void> {
  await page.getByLabel('Old password').fill(old);
  await page.getByLabel('New password', { exact: true }).fill(next);
  await page.getByLabel('Confirm new password').fill(confirmation);
  await page.getByRole('button', { name: 'Change password' }).click();
}

test('the profile is edited, with a picture', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await openAs(page, api.token, '/account');
  await page.getByRole('button', { name: `Edit profile of ${user.nickname}` }).click();
  const sheet = page.getByRole('dialog', { name: 'Profile' });
  await expect(sheet).toContainText(user.licenseKey ?? 'no licence');
  await sheet.getByLabel('Phone').fill('12');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expectWrong(page, 'Phone', /^Please enter a valid phone number/);
  await sheet.getByLabel('Phone').fill(user.phone);
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet.getByText('Nothing was changed')).toBeVisible();

  await sheet.getByLabel('Nickname').fill('Harbour Ads');
  await sheet.getByLabel('Change picture').setInputFiles(picture('me.png'));
  await expect(sheet.getByText('Uploaded')).toBeVisible();
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(announced(page, 'Update successful')).toBeVisible();
  await expect(sheet).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit profile of Harbour Ads' })).toBeVisible();
  const saved = await api.get<Schemas['UserInfo']>('/user/info');
  expect(saved.nickname).toBe('Harbour Ads');
  expect(saved.avatar_url).toBeTruthy();
});

test('the new-user coupon is received once and for good', async ({ page }) => {
  const staff = await Api.staff();
  const { api } = await newAdvertiser(staff);
  await openAs(page, api.token, '/ad-center/activities');
  await expect(page.getByText('From 100.00 · Once per user', { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Activity rules' }).getByRole('listitem')).not.toHaveCount(0);
  await page.getByRole('button', { name: 'Receive New-user support' }).dblclick();
  await expect(announced(page, 'Claimed successfully')).toBeVisible();
  await page.reload();
  await settled(page);
  await expect(page.getByRole('button', { name: 'New-user support received' })).toBeDisabled();
  await page.getByRole('link', { name: 'See my coupons' }).click();
  await expect(page.getByRole('tab', { name: 'Unused 1' })).toBeVisible();
});

test('questions and rules are read from the account', async ({ page }) => {
  const { token } = await Api.demo();
  await openAs(page, token, '/account');
  const questions = page.getByRole('region', { name: 'Frequent questions' });
  await expect(questions.getByRole('link')).toHaveCount(6);
  await questions.getByRole('link').first().click();
  await expect(page.getByRole('main')).toContainText('30-50 conversions within 7 days');
  await page.getByRole('link', { name: /^Next question/ }).click();
  await expect(page.getByRole('link', { name: /^Previous question/ })).toBeVisible();
  await page.getByRole('button', { name: 'Contact customer service' }).click();
  const service = page.getByRole('dialog', { name: 'Customer service' });
  await expect(service).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(service).toBeHidden();
  // Back leaves the questions in one step, however many were read.
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page).toHaveURL(/#\/account$/);
  await page.getByRole('link', { name: 'Operating rules' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Operating rules' })).toBeVisible();
  await page.goto('/#/ad-center/ques-detail?id=nothing');
  await expect(page.getByText('This question does not exist')).toBeVisible();
});
