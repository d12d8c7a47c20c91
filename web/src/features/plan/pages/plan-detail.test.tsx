import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { server } from '@/test/server';

test('a plan shows its life, its delivery and its money', async () => {
  openApp('/plan/detail?id=plan-1');
  expect(await screen.findByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
  const timeline = screen.getByRole('region', { name: 'Timeline' });
  expect(within(timeline).getAllByRole('listitem')).toHaveLength(5);
  expect(screen.getByRole('region', { name: 'Money movements' })).toHaveTextContent('-1,980.00');
  expect(await screen.findByRole('slider', { name: 'Money over time' })).toBeVisible();
});

test('a plan that failed says why and where its money is', async () => {
  openApp('/plan/detail?id=plan-6');
  expect((await screen.findAllByText('The network refused the content.'))[0]).toBeVisible();
  expect(screen.getByText('What was not spent on ads is back in your wallet.')).toBeVisible();
});

test('a plan that does not exist says so', async () => {
  server.use(
    http.post('*/api/plan/order/detail', () => refusal(405, 'No such plan', { reason: 'NOT_FOUND' })),
  );
  openApp('/plan/detail?id=nope');
  expect(await screen.findByText('No such plan')).toBeVisible();
});
