import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const EDIT = '*/api/user/info/edit';
const STEP_UP = '*/api/user/step_up';
const TITLE = 'Confirm that it is you';

const required = () => refusal(400, 'Please sign in again', { reason: 'STEP_UP_REQUIRED' });

type Body = Record<string, unknown>;

/** A server whose session is fresh after a step-up with the password `right-password`. */
function serve() {
  const edits: Body[] = [];
  const passwords: unknown[] = [];
  let fresh = false;
  server.use(
    http.post(EDIT, async ({ request }) => {
      const change = (await request.json()) as Body;
      edits.push(change);
      return fresh ? ok(fixtures.userInfo(change)) : required();
    }),
    http.post(STEP_UP, async ({ request }) => {
      const { password } = (await request.json()) as { password: string };
      passwords.push(password);
      await delay(20);
      if (password !== 'right-password')
        return refusal(400, 'The old password is wrong', { reason: 'WRONG_PASSWORD', field: 'password' });
      fresh = true;
      return ok({ fresh_until: fixtures.at(900_000) });
    }),
  );
  return { edits, passwords };
}

/** Changes the e-mail in the profile, up to the sheet that asks for the password. */
async function changeEmail() {
  const app = openApp('/account');
  await app.user.click(await screen.findByRole('button', { name: 'Edit profile of Demo Advertiser' }));
  const profile = await screen.findByRole('dialog', { name: 'Profile' });
  const email = within(profile).getByLabelText('Email');
  await app.user.clear(email);
  await app.user.type(email, 'new@example.com');
  await app.user.click(within(profile).getByRole('button', { name: 'Save' }));
  const sheet = await screen.findByRole('dialog', { name: TITLE });
  return { ...app, profile, email, sheet };
}

const goOn = (sheet: HTMLElement) => within(sheet).getByRole('button', { name: 'Continue' });

async function confirm(user: Changing['user'], sheet: HTMLElement, password: string) {
  const field = within(sheet).getByLabelText('Login password');
  await user.type(field, password);
  await user.click(goOn(sheet));
  return field;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('the password is asked for, and the change is then made as if nothing had happened', async () => {
  const { edits, passwords } = serve();
  const { user, profile, sheet } = await changeEmail();
  expect(sheet).toHaveTextContent('You signed in a while ago. Enter your login password to go on.');
  const field = within(sheet).getByLabelText('Login password');
  expect(field).toHaveFocus();
  expect(field).toHaveAttribute('autocomplete', 'current-password');
  await user.type(field, 'right-password');
  await user.dblClick(within(sheet).getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Update successful')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(profile).not.toBeInTheDocument();
  expect(edits).toEqual([{ email: 'new@example.com' }, { email: 'new@example.com' }]);
  expect(passwords).toEqual(['right-password']);
  expect(address()).toBe('/account');
});

test('a wrong password is said at its field and can be corrected', async () => {
  const { edits } = serve();
  const { user, sheet } = await changeEmail();
  const field = within(sheet).getByLabelText('Login password');
  await user.click(goOn(sheet));
  expect(field).toHaveAccessibleDescription('Please enter password');
  await confirm(user, sheet, 'wrong');
  await waitFor(() => expect(field).toHaveAccessibleDescription('Wrong login password'));
  expect(field).toHaveFocus();
  expect(edits).toHaveLength(1);
  await user.clear(field);
  await confirm(user, sheet, 'right-password');
  expect(await screen.findByText('Update successful')).toBeVisible();
});

test('too many attempts and a lost answer are said at the field', async () => {
  serve();
  server.use(
    http.post(STEP_UP, () => HttpResponse.error(), { once: true }),
    http.post(STEP_UP, () =>
      refusal(429, 'Too many attempts', { reason: 'TOO_MANY_ATTEMPTS', retry_after: 300 }),
    ),
  );
  const { user, sheet } = await changeEmail();
  const field = await confirm(user, sheet, 'right-password');
  await waitFor(() => expect(field).toHaveAccessibleDescription(/^No connection to the server/));
  await user.click(goOn(sheet));
  await waitFor(() =>
    expect(field).toHaveAccessibleDescription('Too many attempts. Try again in 5 minutes.'),
  );
});

test.each([
  [
    'its button',
    ({ user, sheet }: Changing) => user.click(within(sheet).getByRole('button', { name: 'Close' })),
  ],
  ['Esc', ({ sheet }: Changing) => sheet.dispatchEvent(new Event('cancel', { cancelable: true }))],
  ['Back', () => window.history.back()],
])('closing with %s leaves the form as it was, without a message', async (_how, close) => {
  const { edits } = serve();
  const changing = await changeEmail();
  const { user, profile, email, sheet } = changing;
  await close(changing);
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
  const save = within(profile).getByRole('button', { name: 'Save' });
  await waitFor(() => expect(save).toBeEnabled());
  expect(email).toHaveValue('new@example.com');
  for (const alert of screen.queryAllByRole('alert')) expect(alert).toBeEmptyDOMElement();
  expect(screen.queryByText('System error')).not.toBeInTheDocument();
  await waitFor(() => expect(save).toHaveFocus());
  expect(edits).toHaveLength(1);
  // The next attempt asks again.
  await user.click(save);
  const again = await screen.findByRole('dialog', { name: TITLE });
  await confirm(user, again, 'right-password');
  expect(await screen.findByText('Update successful')).toBeVisible();
});

type Changing = Awaited<ReturnType<typeof changeEmail>>;

test('a user of a host app is led back to it', async () => {
  serve();
  server.use(http.get('*/api/user/info', () => ok(fixtures.userInfo({ entry: 'host' }))));
  const close = vi.fn();
  vi.stubGlobal('AdfolioHost', { close });
  const { user, sheet } = await changeEmail();
  expect(sheet).toHaveTextContent('Please sign in again');
  expect(sheet).toHaveTextContent('Open Adfolio again from the app that you came from');
  expect(within(sheet).queryByLabelText('Login password')).not.toBeInTheDocument();
  await user.click(within(sheet).getByRole('button', { name: 'Back to the app' }));
  expect(close).toHaveBeenCalled();
});

test('the server may know better that there is no login password', async () => {
  serve();
  server.use(http.post(STEP_UP, required));
  const { user, sheet } = await changeEmail();
  await confirm(user, sheet, 'anything');
  const again = await screen.findByText(/^Open Adfolio again from the app/);
  expect(again).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: TITLE })).not.toBeInTheDocument());
});

test('a session that ends meanwhile ends the question, too', async () => {
  serve();
  server.use(http.post(STEP_UP, () => refusal(503, 'Expired', { reason: 'SESSION_EXPIRED' })));
  const { user, sheet } = await changeEmail();
  await confirm(user, sheet, 'right-password');
  await user.click(await screen.findByRole('button', { name: 'Log in again' }));
  expect(await screen.findByLabelText('Username')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});
