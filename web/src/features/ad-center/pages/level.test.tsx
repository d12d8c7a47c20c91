import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openApp } from '@/test/app';

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
