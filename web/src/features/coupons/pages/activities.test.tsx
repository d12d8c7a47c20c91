import { screen, within } from '@testing-library/react';
import { delay, http } from 'msw';
import { expect, test } from 'vitest';
import { ok, page, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { newUserClaimable } from '@/test/fixtures-account';
import { server } from '@/test/server';

const LIST = '*/api/user_coupon/list';
const COUNTS = { unused: 0, used: 0, expired: 0 };

test('the support coupon is received once, beside periodic ones and the rules', async () => {
  const sent: unknown[] = [];
  server.use(
    http.get(LIST, () =>
      ok({
        ...page([]),
        counts: COUNTS,
        claimable: [{ ...newUserClaimable, claimed: sent.length > 0 }, ...fixtures.claimables],
      }),
    ),
    http.post('*/api/user_coupon/receive', async ({ request }) => {
      sent.push(await request.json());
      await delay(50);
      return ok(fixtures.coupon());
    }),
  );
  const { user } = openApp('/ad-center/activities');
  expect(await screen.findByText('No minimum investment')).toBeVisible();
  expect(screen.getByText('Coupons come periodically')).toBeVisible();
  await user.dblClick(await screen.findByRole('button', { name: 'Receive New-user support' }));
  expect(await screen.findByText('Claimed successfully')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'New-user support received' })).toBeDisabled();
  expect(sent).toEqual([{ campaign_id: 'campaign-new' }]);
  const periodic = screen.getByRole('region', { name: 'Periodic coupons' });
  expect(within(periodic).getByRole('button', { name: 'Claim Weekend discount' })).toBeEnabled();
  const rules = await screen.findByRole('region', { name: 'Activity rules' });
  expect(within(rules).getAllByRole('listitem')).toHaveLength(2);
});

test('no minimum is promised for a coupon that has one', async () => {
  server.use(
    http.get(LIST, () =>
      ok({
        ...page([]),
        counts: COUNTS,
        claimable: [{ ...newUserClaimable, amount_requirement: '100.00' }],
      }),
    ),
  );
  openApp('/ad-center/activities');
  expect(await screen.findByText(/From 100.00 · Once per user/)).toBeVisible();
  expect(screen.queryByText('No minimum investment')).not.toBeInTheDocument();
});

test('a refused claim says why, and the coupon shows what is true now', async () => {
  let isClaimed = false;
  server.use(
    http.get(LIST, () =>
      ok({ ...page([]), counts: COUNTS, claimable: [{ ...newUserClaimable, claimed: isClaimed }] }),
    ),
    http.post('*/api/user_coupon/receive', () => {
      isClaimed = true;
      return refusal(400, 'Already claimed', { reason: 'COUPON_ALREADY_CLAIMED' });
    }),
  );
  const { user } = openApp('/ad-center/activities');
  await user.click(await screen.findByRole('button', { name: 'Receive New-user support' }));
  expect(await screen.findByText('Already claimed')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'New-user support received' })).toBeDisabled();
});

test('with nothing on offer it says so, and a failed load can be asked again', async () => {
  let isBroken = true;
  server.use(
    http.get(LIST, () =>
      isBroken ? refusal(500, 'Server error') : ok({ ...page([]), counts: COUNTS, claimable: [] }),
    ),
  );
  const { user } = openApp('/ad-center/activities');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  isBroken = false;
  await user.click(retry);
  expect(await screen.findByText('No support coupon at the moment')).toBeVisible();
  expect(screen.getByText('Nothing to claim at the moment')).toBeVisible();
});
