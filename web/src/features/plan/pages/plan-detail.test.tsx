import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { serviceEntry } from '@/test/fixtures-platform';
import { server } from '@/test/server';

test('a plan shows its life, its delivery and its money', async () => {
  openApp('/plan/detail?id=plan-1');
  expect(await screen.findByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
  const timeline = screen.getByRole('region', { name: 'Timeline' });
  expect(within(timeline).getAllByRole('listitem')).toHaveLength(5);
  expect(screen.getByText(/^Delivery ends by .*Dec/)).toBeVisible();
  expect(screen.getByRole('region', { name: 'Money movements' })).toHaveTextContent(/USD.*−1,980\.00/);
  expect(await screen.findByRole('slider', { name: 'Money over time' })).toBeVisible();
});

test('a plan that failed says why and where its money is', async () => {
  openApp('/plan/detail?id=plan-6');
  expect((await screen.findAllByText('The network refused the content.'))[0]).toBeVisible();
  expect(screen.getByText('What was not spent on ads is back in your wallet.')).toBeVisible();
  expect(screen.queryByText(/ ends by /)).not.toBeInTheDocument();
});

test('a plan that does not exist says so', async () => {
  server.use(
    http.post('*/api/plan/order/detail', () => refusal(405, 'No such plan', { reason: 'NOT_FOUND' })),
  );
  openApp('/plan/detail?id=nope');
  expect(await screen.findByText('No such plan')).toBeVisible();
});

test('the part that the coupon paid is a line of its own, and the result is what the wallet gains', async () => {
  const { unmount } = openApp('/plan/detail?id=plan-1');
  expect(await screen.findByText('Paid by the coupon')).toBeVisible();
  expect(screen.getByText('12.40')).toBeVisible();
  expect(screen.getByText('+271.02')).toBeVisible();
  unmount();
  openApp('/plan/detail?id=plan-5');
  expect(await screen.findByText('−67.93')).toBeVisible();
  expect(screen.queryByText('Paid by the coupon')).not.toBeInTheDocument();
});

test('sources are named in words', async () => {
  server.use(
    http.post('*/api/plan/order/detail', () =>
      ok(fixtures.planDetail({ sources: ['import', 'network', 'simulator'] })),
    ),
  );
  openApp('/plan/detail?id=plan-1');
  expect(await screen.findByText('Imported file · Ad network · Simulator')).toBeVisible();
});

test('a plan that matches says until when, and is cancelled once', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post('*/api/plan/order/cancel', async ({ request }) => {
      sent.push(await request.json());
      return ok(fixtures.plan({ id: 'plan-3', status: 'put_failed' }));
    }),
  );
  const { user } = openApp('/plan/detail?id=plan-3');
  expect(await screen.findByText(/^Matching ends with the first delivery report/)).toBeVisible();
  expect(
    screen.getByText(/^Matching ends by .*Nov.* If nothing is delivered by then, everything comes back/),
  ).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Cancel plan' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this plan?' });
  expect(dialog).toHaveTextContent('1,480.00 goes back to your available funds.');
  expect(dialog).toHaveTextContent('The coupon “New user support” comes back to you.');
  await user.dblClick(within(dialog).getByRole('button', { name: 'Cancel plan' }));
  expect(await screen.findByText('Plan cancelled')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toEqual([{ plan_id: 'plan-3' }]);
});

test('a plan that is delivered meanwhile says why it cannot be cancelled', async () => {
  server.use(
    http.post('*/api/plan/order/cancel', () =>
      refusal(400, 'Nothing was changed', { reason: 'NOTHING_CHANGED' }),
    ),
  );
  const { user } = openApp('/plan/detail?id=plan-3');
  await user.click(await screen.findByRole('button', { name: 'Cancel plan' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel this plan?' });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel plan' }));
  expect(await within(dialog).findByText('Nothing was changed')).toBeVisible();
});

test('customer service learns which plan a question is about', async () => {
  server.use(
    http.get('*/api/user/info', () =>
      ok(fixtures.userInfo({ customer_service_url: [serviceEntry({ url: 'https://chat.example.com/' })] })),
    ),
  );
  const { user } = openApp('/plan/detail?id=plan-1');
  await user.click(await screen.findByRole('button', { name: 'Contact customer service' }));
  const dialog = await screen.findByRole('dialog', { name: 'Customer service' });
  expect(await within(dialog).findByRole('link')).toHaveAttribute(
    'href',
    'https://chat.example.com/?name=demo&subject=Merge%20Harbor%20AD-20261118-000040',
  );
});
