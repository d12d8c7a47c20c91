import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { address, openApp } from '@/test/app';

test('a desk compares two metrics of choice, and says both in text', async () => {
  const { user } = openApp('/ad-center', { desk: true });
  const chart = await screen.findByRole('slider', { name: 'Consumed · Ad revenue over time' });
  expect(chart).toHaveAttribute(
    'aria-valuetext',
    expect.stringMatching(/Consumed [\d.]+, Ad revenue [\d.]+$/),
  );
  await user.selectOptions(screen.getByLabelText('First metric'), 'Clicks');
  expect(await screen.findByRole('slider', { name: 'Clicks · Ad revenue over time' })).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Second metric'), 'Impressions');
  await waitFor(() => expect(address()).toBe('/ad-center?first=clicks&second=impressions'));
  expect(screen.getByRole('columnheader', { name: 'Impressions', hidden: true })).toBeInTheDocument();
  // The other metric takes the place of the one that was chosen.
  await user.selectOptions(screen.getByLabelText('First metric'), 'Impressions');
  expect(await screen.findByRole('slider', { name: 'Impressions · Clicks over time' })).toBeVisible();
  await user.selectOptions(screen.getByLabelText('Second metric'), 'No second metric');
  expect(await screen.findByRole('slider', { name: 'Impressions over time' })).toBeVisible();
});
