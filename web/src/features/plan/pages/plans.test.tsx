import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { address, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

const LIST = '*/api/plan/order/list';

test('plans are listed with both rows of tabs and their counts', async () => {
  const { user } = openApp('/plan');
  expect(await screen.findAllByRole('heading', { level: 2 })).toHaveLength(7);
  expect(screen.getByRole('tab', { name: 'All 7' })).toBeVisible();
  await user.click(screen.getByRole('tab', { name: 'Official' }));
  expect(await screen.findByRole('tab', { name: 'All 2' })).toBeVisible();
  await user.click(screen.getByRole('tab', { name: 'Waiting for settlement 1' }));
  await waitFor(() => expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(1));
  expect(screen.getByText('−67.93')).toBeVisible();
  expect(address()).toBe('/plan?push=official&status=waiting_settlement');
});

test('an empty list says what to do next', async () => {
  server.use(http.get(LIST, () => ok({ items: [], next_cursor: null, counts: {} })));
  const { user } = openApp('/plan');
  const panel = await screen.findByRole('tabpanel', { name: 'Plans' });
  expect(await within(panel).findByText('No plans yet')).toBeVisible();
  await user.click(within(panel).getByRole('button', { name: 'Place an ad' }));
  const sheet = await screen.findByRole('dialog', { name: 'Choose a product' });
  expect(await within(sheet).findAllByRole('link')).toHaveLength(3);
  await user.click(within(sheet).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sheet).not.toBeInTheDocument());
});

test('a list that fails can be asked again', async () => {
  server.use(http.get(LIST, () => refusal(500, 'Server error')));
  openApp('/plan');
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a further page is added to the list', async () => {
  server.use(
    http.get(LIST, ({ request }) => {
      const cursor = new URL(request.url).searchParams.get('cursor');
      const items = [fixtures.plan({ id: cursor ?? 'first', plan_number: cursor ?? 'first' })];
      return ok({ items, next_cursor: cursor ? null : 'second', counts: {} });
    }),
  );
  const { user } = openApp('/plan');
  await user.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText('second')).toBeVisible();
  expect(screen.getByText('first')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
});

test('a pushed plan is put from its card, which says until when', async () => {
  const { user } = openApp('/plan');
  await user.click(await screen.findByRole('link', { name: '1 plan waits for your amount' }));
  expect(address()).toBe('/plan?status=waiting');
  const put = await screen.findByRole('link', { name: 'Put FitCoach Daily' });
  await waitFor(() => expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(1));
  expect(screen.getByText('Put it by')).toBeVisible();
  expect(screen.queryByText('1 plan waits for your amount')).not.toBeInTheDocument();
  await user.click(put);
  expect(await screen.findByLabelText('Put amount')).toHaveValue('800.00');
});

test('a figure lists the plans that it counts, below their sum', async () => {
  const asked: Record<string, string>[] = [];
  server.use(
    http.get(LIST, ({ request }) => {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      asked.push(query);
      const sum = query.figure === 'delivery_orders' ? 1 : '622.00';
      return ok({ items: [fixtures.plan()], next_cursor: null, counts: {}, sum });
    }),
  );
  const { user, unmount } = openApp('/plan?figure=to_be_consumed');
  expect(await screen.findByText('To be consumed: 622.00')).toBeVisible();
  expect(screen.queryByRole('tab')).not.toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'All plans' }));
  expect(await screen.findByRole('tab', { name: 'Official' })).toBeVisible();
  expect(address()).toBe('/plan');
  unmount();
  openApp('/plan?figure=delivery_orders&range=week');
  expect(await screen.findByText('Delivery orders: 1')).toBeVisible();
  expect(screen.getByText('This week')).toBeVisible();
  expect(asked.filter(({ figure }) => figure)).toEqual([
    { figure: 'to_be_consumed' },
    { figure: 'delivery_orders', type: '2', user_time_zone: expect.stringMatching(/./) },
  ]);
});

test('a figure that counts nothing says so', async () => {
  server.use(http.get(LIST, () => ok({ items: [], next_cursor: null, counts: {}, sum: '0.00' })));
  openApp('/plan?figure=to_be_settled');
  expect(await screen.findByText('To be settled: 0.00')).toBeVisible();
  expect(screen.getByText('No plan adds to this figure at the moment.')).toBeVisible();
});
