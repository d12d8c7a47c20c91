import { screen, waitFor, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { follow, pictureFile, uploadedFile } from '@/test/fixtures-account';
import { basicConfig } from '@/test/fixtures-platform';
import { server } from '@/test/server';

const CONFIG = '*/api/basic_config';
const USER = '*/api/user/info';
const EDIT = '*/api/user/info/edit';
const FOLLOWS = '*/api/assistance/list';
const FOLLOW = '*/api/assistance/follow';

test('the ad centre leads to everything that belongs to the account', async () => {
  openApp('/ad-center');
  const benefits = await screen.findByRole('region', { name: 'Benefits and plans' });
  await within(benefits).findByText('Level 3');
  const hrefs = (region: HTMLElement) =>
    within(region)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'));
  expect(hrefs(benefits)).toEqual([
    '#/ad-center/coupons',
    '#/ad-center/activities',
    '#/ad-center/level',
    '#/ad-center/operated',
  ]);
  const security = screen.getByRole('region', { name: 'Security and support' });
  expect(hrefs(security)).toEqual([
    '#/ad-center/security',
    '#/ad-center/edit-login-password',
    '#/wallet/set-password',
    '#/ad-center/feedback',
  ]);
  expect(within(security).getByText('Not set yet')).toBeVisible();
  expect(await screen.findByText('A network that reaches over 3 billion users')).toBeVisible();
  const hint = await screen.findByRole('link', { name: /^1 plan waits for your amount/ });
  expect(hint).toHaveAttribute('href', '#/plan?status=waiting');
});

test('a set transaction password is changed, not set; with nothing waiting nothing is said', async () => {
  server.use(
    http.get(USER, () => ok(fixtures.userInfo({ has_pay_password: true, vip: true }))),
    http.post('*/api/plan/order/await/put/count', () => ok({ count: 0 })),
    http.get(CONFIG, () => ok(basicConfig({ marketing: null }))),
  );
  openApp('/ad-center');
  expect(await screen.findByText('VIP')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Transaction password' })).toHaveAttribute(
    'href',
    '#/ad-center/edit-pay-password',
  );
  expect(await screen.findByRole('link', { name: 'How do I use a coupon?' })).toBeVisible();
  expect(screen.queryByText(/waits? for your amount/)).not.toBeInTheDocument();
});

test('customer service opens from the menu', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('button', { name: 'Customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('questions that cannot be loaded can be asked for again', async () => {
  let isBroken = true;
  server.use(http.get(CONFIG, () => (isBroken ? refusal(500, 'Server error') : ok(basicConfig()))));
  const { user } = openApp('/ad-center');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  expect(await screen.findByRole('region', { name: 'Frequent questions' })).toBeVisible();
});

test('a question is read, left for the next one, and more help is offered', async () => {
  const { user } = openApp('/ad-center');
  await user.click(await screen.findByRole('link', { name: 'How long does a plan need to learn?' }));
  expect(await screen.findByText('Learning needs about 30-50 conversions within 7 days.')).toBeVisible();
  await user.click(screen.getByRole('link', { name: /^Next question/ }));
  expect(await screen.findByText('It is held for the plan.')).toBeVisible();
  expect(address()).toBe('/ad-center/ques-detail?id=faq-2');
  expect(screen.getByRole('link', { name: /^Previous question/ })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Contact customer service' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

test('the operating rules are a list, and an unknown question says so', async () => {
  const { unmount } = openApp('/ad-center/ques-detail?id=operating-rules');
  expect(await screen.findByRole('heading', { level: 1, name: 'Operating rules' })).toBeVisible();
  const rules = await screen.findByRole('region', { name: 'Operating rules' });
  expect(within(rules).getAllByRole('listitem')).toHaveLength(2);
  unmount();
  openApp('/ad-center/ques-detail?id=nope');
  expect(await screen.findByText('This question does not exist')).toBeVisible();
});

test('texts of the platform are never markup', async () => {
  server.use(
    http.get(CONFIG, () => ok(basicConfig({ operating_rules: '<img src=x onerror="alert(1)"> stays text' }))),
  );
  openApp('/ad-center/ques-detail?id=operating-rules');
  expect(await screen.findByText('<img src=x onerror="alert(1)"> stays text')).toBeVisible();
});

test('level, score, deposit and membership are explained', async () => {
  const { user } = openApp('/ad-center/level');
  const scale = await screen.findByRole('list', { name: 'Shop levels' });
  expect(within(scale).getByText('Level 3, your level').closest('li')).toHaveAttribute(
    'aria-current',
    'step',
  );
  expect(screen.getByText('500.00')).toBeVisible();
  expect(screen.getByText('Not active')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Ask about a review' }));
  expect(await screen.findByRole('dialog', { name: 'Customer service' })).toBeVisible();
});

async function openProfile() {
  const app = openApp('/ad-center');
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

test('an operator is followed once, however often it is tapped', async () => {
  const sent: unknown[] = [];
  server.use(
    http.get(FOLLOWS, () =>
      ok(
        sent.length > 0
          ? { items: [follow()], next_cursor: null, current_operator_id: 'operator-1' }
          : { items: [], next_cursor: null, current_operator_id: null },
      ),
    ),
    http.post(FOLLOW, async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok(follow());
    }),
  );
  const { user } = openApp('/ad-center/operated');
  expect(await screen.findByText('You follow nobody yet')).toBeVisible();
  expect(screen.getByText('No records yet')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Follow' }));
  const id = screen.getByLabelText('Operator ID');
  expect(id).toHaveAccessibleDescription(/^Please enter the operator ID/);
  await user.type(id, ' operator-1 ');
  await user.dblClick(screen.getByRole('button', { name: 'Follow' }));
  expect(await screen.findByText('Submitted successfully')).toBeVisible();
  expect(await screen.findByText('Following')).toBeVisible();
  expect(sent).toEqual([{ operator_id: 'operator-1' }]);
  expect(id).toHaveValue('');
});

test('an id that is unknown or current is explained at its field', async () => {
  let reason = 'FOLLOW_ID_ERROR';
  server.use(http.post(FOLLOW, () => refusal(400, 'Refused', { reason, field: 'operator_id' })));
  const { user } = openApp('/ad-center/operated');
  const id = await screen.findByLabelText('Operator ID');
  const button = await screen.findByRole('button', { name: 'Follow this operator instead' });
  await user.type(id, 'nope');
  await user.click(button);
  await waitFor(() => expect(id).toHaveAccessibleDescription(/^Follow ID error/));
  expect(id).toHaveFocus();
  reason = 'FOLLOW_ID_CURRENT';
  await user.click(button);
  await waitFor(() => expect(id).toHaveAccessibleDescription(/^This is the operator you already follow/));
  expect(id).toHaveValue('nope');
});

test('follow records load on, and a failed load can be asked again', async () => {
  let isBroken = true;
  server.use(
    http.get(FOLLOWS, ({ request }) => {
      if (isBroken) return refusal(500, 'Server error');
      const cursor = new URL(request.url).searchParams.get('cursor');
      const items = [
        cursor
          ? follow({ operator_id: 'operator-2', operator_name: 'Second page' })
          : follow({ operator_name: 'First page' }),
      ];
      return ok({ items, next_cursor: cursor ? null : 'next', current_operator_id: null });
    }),
  );
  const { user } = openApp('/ad-center/operated');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('Second page')).toBeVisible();
});
