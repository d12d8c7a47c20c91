import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { ok, refusal } from '@/test/answers';
import { comeBack, openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { server } from '@/test/server';

test('coupons are listed by state, each with what it gives', async () => {
  const { user } = openApp('/ad-center/coupons');
  expect(await screen.findByText('−20.00')).toBeVisible();
  expect(screen.getByText('Value-added voucher')).toBeVisible();
  expect(screen.getByText('From 1,000.00')).toBeVisible();
  await user.click(screen.getByRole('tab', { name: 'Used 1' }));
  expect(await screen.findByRole('link', { name: 'See plan' })).toHaveAttribute(
    'href',
    '#/plan/detail?id=plan-1',
  );
  await user.click(screen.getByRole('tab', { name: 'Expired 0' }));
  expect(await screen.findByText('No expired coupons')).toBeVisible();
});

test('a coupon to be claimed says its type, its terms and until when', async () => {
  const [item] = fixtures.claimables;
  server.use(
    http.get('*/api/user_coupon/list', () =>
      ok({
        items: [],
        next_cursor: null,
        counts: { unused: 0, used: 0, expired: 0 },
        claimable: [
          item,
          {
            ...item,
            campaign_id: 'b',
            type: 'team',
            amount_requirement: '0.00',
            valid_days: 1,
            ends_at: null,
          },
        ],
      }),
    ),
  );
  openApp('/ad-center/coupons');
  expect(await screen.findByText('Fixed-amount coupon')).toBeVisible();
  expect(screen.getByText('From 100.00')).toBeVisible();
  expect(screen.getByText('Valid 7 days after claiming')).toBeVisible();
  expect(screen.getByText(/^Claim by Nov 23/)).toBeVisible();
  expect(screen.getByText('Team coupon')).toBeVisible();
  expect(screen.getByText('No minimum')).toBeVisible();
  expect(screen.getByText('Valid 1 day after claiming')).toBeVisible();
  expect(screen.getAllByText(/^Claim by /)).toHaveLength(1);
});

test('a coupon is claimed', async () => {
  let claimed = false;
  server.use(
    http.get('*/api/user_coupon/list', () =>
      ok({
        items: claimed ? [fixtures.coupon({ name: 'Weekend discount' })] : [],
        next_cursor: null,
        counts: { unused: claimed ? 1 : 0, used: 0, expired: 0 },
        claimable: fixtures.claimables.map((item) => ({ ...item, claimed })),
      }),
    ),
    http.post('*/api/user_coupon/receive', async ({ request }) => {
      expect(await request.json()).toEqual({ campaign_id: 'campaign-1' });
      claimed = true;
      return ok(fixtures.coupon());
    }),
  );
  const { user } = openApp('/ad-center/coupons');
  await user.click(await screen.findByRole('button', { name: 'Claim Weekend discount' }));
  expect(await screen.findByText('Claimed successfully')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Weekend discount claimed' })).toBeDisabled();
  expect(await screen.findByRole('tab', { name: 'Unused 1' })).toBeVisible();
});

test('the last coupon of a campaign is claimed, and the campaign is gone', async () => {
  let claimed = false;
  server.use(
    http.get('*/api/user_coupon/list', () =>
      ok({
        items: [],
        next_cursor: null,
        counts: { unused: 0, used: 0, expired: 0 },
        claimable: claimed ? [] : fixtures.claimables,
      }),
    ),
    http.post('*/api/user_coupon/receive', async () => {
      claimed = true;
      comeBack();
      await waitFor(() => expect(screen.queryByRole('button', { name: /^Claim / })).toBeNull());
      return ok(fixtures.coupon());
    }),
  );
  const { user } = openApp('/ad-center/coupons');
  await user.click(await screen.findByRole('button', { name: 'Claim Weekend discount' }));
  expect(await screen.findByText('Claimed successfully')).toBeVisible();
});

test('a refused claim says why', async () => {
  server.use(
    http.post('*/api/user_coupon/receive', () =>
      refusal(400, 'You claimed this coupon today', { reason: 'COUPON_NAME_CLAIMED_TODAY' }),
    ),
  );
  const { user } = openApp('/ad-center/coupons');
  await user.click(await screen.findByRole('button', { name: 'Claim Weekend discount' }));
  expect(await screen.findByText('You claimed this coupon today')).toBeVisible();
});
