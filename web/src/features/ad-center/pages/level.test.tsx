import { screen, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import { server } from '@/test/server';

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

test('without the user’s data it says so, and why', async () => {
  server.use(http.get('*/api/user/info', () => refusal(500, 'Server error')));
  openApp('/ad-center/level');
  expect(await screen.findByText('No user data')).toBeVisible();
  expect(screen.getByText('Server error')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
});
