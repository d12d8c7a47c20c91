import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const PUT = '*/api/plan/order/put';

test('nothing is put in the place of a pushed plan that waits no longer', async () => {
  openApp('/plan/goods-detail?id=product-1&plan=plan-4');
  expect(await screen.findByText(/^This plan no longer waits/)).toBeVisible();
  expect(screen.queryByLabelText('Put amount')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'See plan' })).toHaveAttribute('href', '#/plan/detail?id=plan-4');
});

async function review(amount = '1250') {
  const app = openApp('/plan/goods-detail?id=product-1');
  await screen.findByText('12,300.50');
  await app.user.type(screen.getByLabelText('Put amount'), amount);
  await app.user.click(screen.getByRole('button', { name: 'Review' }));
  return app;
}

test('an amount that cannot be put is explained at its field', async () => {
  const { user } = await review('20');
  const amount = screen.getByLabelText('Put amount');
  expect(amount).toHaveFocus();
  expect(amount).toHaveAccessibleDescription(/^Below the minimum of 50.00/);
  await user.clear(amount);
  await user.type(amount, '5000.01');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  expect(amount).toHaveAccessibleDescription(/^Put amount not in range: at most 5,000.00/);
});

test('what is paid and what is spent on ads is shown before the review, with the coupon that counts', async () => {
  const { user } = openApp('/plan/goods-detail?id=product-1');
  await screen.findByText('12,300.50');
  const form = screen.getByRole('region', { name: 'Place an ad' });
  const amount = within(form).getByLabelText('Put amount');
  await user.type(amount, '500');
  expect(form).toHaveTextContent('You pay500.00Ad budget500.00');
  await user.click(within(form).getByRole('button', { name: /^Coupon/ }));
  const coupons = await screen.findByRole('dialog', { name: 'Choose a coupon' });
  const extra = within(coupons).getByRole('radio', { name: /^Autumn budget/ });
  expect(extra).toBeDisabled();
  expect(coupons).toHaveTextContent('You miss 1,000.00 by 500.00');
  expect(coupons).toHaveTextContent('From 100.00');
  await user.click(within(coupons).getByRole('radio', { name: /^New user support/ }));
  await user.click(within(coupons).getByRole('button', { name: 'Confirm' }));
  expect(form).toHaveTextContent('New user support−20.00You pay480.00Ad budget500.00');
  await user.clear(amount);
  await user.type(amount, '60');
  expect(form).toHaveTextContent('You pay60.00Ad budget60.00');
  await user.click(within(form).getByRole('button', { name: 'Review' }));
  expect(amount).toHaveAccessibleDescription(/^You miss 100.00 by 40.00/);
});

test('who has a transaction password confirms with it', async () => {
  let put = 0;
  const checked: unknown[] = [];
  server.use(
    http.get('*/api/user/info', () => ok(fixtures.userInfo({ has_pay_password: true }))),
    http.post('*/api/check/password', async ({ request }) => {
      checked.push(await request.json());
      return checked.length === 1
        ? refusal(400, 'Wrong transaction password', { reason: 'WRONG_PAY_PASSWORD' })
        : ok({});
    }),
    http.post(PUT, () => {
      put += 1;
      return ok(fixtures.plan({ id: 'plan-1' }));
    }),
  );
  const { user } = await review();
  const sheet = await screen.findByRole('dialog', { name: 'Review your order' });
  await user.click(within(sheet).getByRole('button', { name: 'Place ad' }));
  const password = await screen.findByRole('dialog', { name: 'Transaction password' });
  const digits = within(password).getByLabelText(/6-digit/);
  await user.type(digits, '111111');
  await user.click(within(password).getByRole('button', { name: 'OK' }));
  expect(await within(password).findByText('Wrong transaction password')).toBeVisible();
  expect(put).toBe(0);
  await user.clear(digits);
  await user.type(digits, '246810');
  await user.click(within(password).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(address()).toBe('/plan/detail?id=plan-1'));
  expect([put, checked.length]).toEqual([1, 2]);
});

test('what the server refuses is said at its input, and Back leads on from the product', async () => {
  let answer = () =>
    refusal(400, 'Insufficient balance', { reason: 'INSUFFICIENT_BALANCE', field: 'amount' });
  server.use(http.post(PUT, () => answer()));
  const { user } = await review();
  await user.click(await screen.findByRole('button', { name: 'Place ad' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const amount = screen.getByLabelText('Put amount');
  await waitFor(() => expect(amount).toHaveAccessibleDescription(/^Insufficient balance/));
  expect(amount).toHaveValue('1250');

  answer = () => refusal(400, 'Coupon cannot be used', { reason: 'COUPON_NOT_USABLE' });
  await user.click(screen.getByRole('button', { name: 'Review' }));
  await user.click(await screen.findByRole('button', { name: 'Place ad' }));
  expect(await screen.findByText('Coupon cannot be used')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

test('a coupon that the server finds too large for the amount says what is missing', async () => {
  server.use(
    http.post(PUT, () =>
      refusal(400, 'Below requirement', {
        reason: 'COUPON_BELOW_REQUIREMENT',
        field: 'amount',
        missing: '20.00',
      }),
    ),
  );
  const { user } = openApp('/plan/goods-detail?id=product-1');
  await screen.findByText('12,300.50');
  await user.type(screen.getByLabelText('Put amount'), '1250');
  await user.click(screen.getByRole('button', { name: /^Coupon/ }));
  const coupons = await screen.findByRole('dialog', { name: 'Choose a coupon' });
  await user.click(within(coupons).getByRole('radio', { name: /^New user support/ }));
  await user.click(within(coupons).getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(coupons).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Review' }));
  await user.click(await screen.findByRole('button', { name: 'Place ad' }));
  expect(await screen.findByText('You miss 100.00 by 20.00')).toBeVisible();
});

test('an ad is reviewed with its coupon and placed once, however often it is tapped', async () => {
  const sent: { key: string | null; body: unknown }[] = [];
  server.use(
    http.post(PUT, async ({ request }) => {
      sent.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
      await delay(50);
      return ok(fixtures.plan({ id: 'plan-1' }));
    }),
  );
  const { user } = openApp('/plan/goods-detail?id=product-1');
  await screen.findByText('12,300.50');
  await user.type(screen.getByLabelText('Put amount'), '1250');
  await user.click(screen.getByRole('button', { name: /^Coupon/ }));
  const coupons = await screen.findByRole('dialog', { name: 'Choose a coupon' });
  await user.click(within(coupons).getByRole('radio', { name: /^New user support/ }));
  await user.click(within(coupons).getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(coupons).not.toBeInTheDocument());
  await user.click(screen.getByRole('button', { name: 'Review' }));
  const sheet = await screen.findByRole('dialog', { name: 'Review your order' });
  expect(sheet).toHaveTextContent('You pay1,230.00 USD');
  expect(sheet).toHaveTextContent('Available after11,070.50');
  await user.dblClick(within(sheet).getByRole('button', { name: 'Place ad' }));
  expect(await screen.findByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
  expect(address()).toBe('/plan/detail?id=plan-1');
  expect(sent).toEqual([
    {
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      body: { product_id: 'product-1', amount: '1250.00', user_coupon_id: 'coupon-1' },
    },
  ]);
});

test('after a lost answer the next try is the same call; after a refusal it is a new one', async () => {
  const keys: (string | null)[] = [];
  let answer: () => HttpResponse<never> | Response = () => HttpResponse.error();
  server.use(
    http.post(PUT, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return answer();
    }),
  );
  const { user } = await review();
  const sheet = await screen.findByRole('dialog', { name: 'Review your order' });
  const confirm = within(sheet).getByRole('button', { name: 'Place ad' });
  await user.click(confirm);
  expect(await within(sheet).findByText(/^No connection to the server/)).toBeVisible();
  answer = () => refusal(400, 'Not possible now', { reason: 'VALIDATION' });
  await user.click(confirm);
  expect(await within(sheet).findByText('Not possible now')).toBeVisible();
  await user.click(confirm);
  await waitFor(() => expect(keys).toHaveLength(3));
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test('a pushed plan starts with its own amount and is put by its id', async () => {
  let body: unknown;
  server.use(
    http.post(PUT, async ({ request }) => {
      body = await request.json();
      return ok(fixtures.plan({ id: 'plan-2' }));
    }),
  );
  const { user } = openApp('/plan/detail?id=plan-2');
  await user.click(await screen.findByRole('link', { name: 'Put this plan' }));
  expect(await screen.findByLabelText('Put amount')).toHaveValue('800.00');
  await screen.findByText('12,300.50');
  await user.click(screen.getByRole('button', { name: 'Review' }));
  await user.click(await screen.findByRole('button', { name: 'Place ad' }));
  await waitFor(() => expect(body).toEqual({ plan_id: 'plan-2', amount: '800.00' }));
});

test('the typed amount survives a login that comes between', async () => {
  const { user } = openApp('/plan/goods-detail?id=product-1');
  await user.type(await screen.findByLabelText('Put amount'), '777');
  await user.tab();
  await waitFor(() => expect(address()).toContain('amount=777'));
});
