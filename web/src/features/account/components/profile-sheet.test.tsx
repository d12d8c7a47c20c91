import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { pictureFile, uploadedFile } from '@/test/fixtures-account';
import { server } from '@/test/server';

const EDIT = '*/api/user/info/edit';

async function openProfile() {
  const app = openApp('/account');
  await app.user.click(await screen.findByRole('button', { name: 'Edit profile of Demo Advertiser' }));
  const sheet = await screen.findByRole('dialog', { name: 'Profile' });
  return { ...app, sheet };
}

test('the profile is edited with a new picture, once, and only what changed is sent', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(EDIT, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok(fixtures.userInfo({ nickname: 'Ada', avatar_url: '/api/files/file-1' }));
    }),
    http.post('*/api/files/upload', () => ok(uploadedFile())),
  );
  const { user, sheet } = await openProfile();
  expect(within(sheet).getByText('************0001')).toBeVisible();
  expect(within(sheet).getByText('Member since')).toBeVisible();
  const nickname = within(sheet).getByLabelText('Nickname');
  await user.clear(nickname);
  await user.type(nickname, 'Ada');
  await user.upload(within(sheet).getByLabelText('Change picture'), pictureFile());
  expect(await within(sheet).findByText('Uploaded')).toBeVisible();
  await user.dblClick(within(sheet).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Update successful')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Edit profile of Ada' })).toBeVisible();
  expect(sent).toEqual([{ nickname: 'Ada', avatar_file_id: 'file-1' }]);
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
});

test('a profile is checked here and by the server, each at its field', async () => {
  server.use(
    http.post(EDIT, () => refusal(400, 'This email is taken', { reason: 'VALIDATION', field: 'email' })),
  );
  const { user, sheet } = await openProfile();
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  expect(await within(sheet).findByText('Nothing was changed')).toBeVisible();
  const email = within(sheet).getByLabelText('Email');
  await user.clear(email);
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  expect(email).toHaveAccessibleDescription('Email cannot be empty');
  expect(email).toHaveFocus();
  await user.type(email, 'taken@example.com');
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(email).toHaveAccessibleDescription('This email is taken'));
  expect(email).toHaveValue('taken@example.com');
});

test('what was typed into the profile outlives a session that expires', async () => {
  server.use(http.post(EDIT, () => refusal(503, 'Expired', { reason: 'SESSION_EXPIRED' })));
  const { user, sheet } = await openProfile();
  await user.type(within(sheet).getByLabelText('Nickname'), ' Ltd');
  await user.click(within(sheet).getByRole('button', { name: 'Save' }));
  await user.click(await screen.findByRole('button', { name: 'Log in again' }));
  await user.type(await screen.findByLabelText('Username'), 'demo');
  await user.type(screen.getByLabelText('Password'), 'adfolio-demo-1');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  await user.click(await screen.findByRole('button', { name: 'Edit profile of Demo Advertiser' }));
  expect(await screen.findByLabelText('Nickname')).toHaveValue('Demo Advertiser Ltd');
});
