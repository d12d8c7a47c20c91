import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, test } from 'vitest';
import type { PlanPace } from '@/lib/api/types';
import { ok, refusal } from '@/test/answers';
import { openApp } from '@/test/app';
import * as fixtures from '@/test/fixtures';
import { pace, placement, placements } from '@/test/fixtures-placing';
import { server } from '@/test/server';

const PACE = '*/api/plan/order/pace';
const PLACEMENTS = '*/api/plan/order/placements';
const PLAN = '/plan/detail?id=plan-1';

function given(answers: { pace?: Partial<PlanPace>; placements?: Parameters<typeof placements>[0] }) {
  server.use(
    http.get(PACE, () => ok(pace(answers.pace))),
    http.get(PLACEMENTS, () => ok(placements(answers.placements))),
  );
}

const card = (name: string) => screen.findByRole('region', { name });
const placementsCard = () => card('Where your ads were shown');

test.each([
  ['too_early', 'Too early to tell'],
  ['on_pace', 'On pace'],
  ['behind', 'Behind plan'],
  ['ahead', 'Ahead of plan'],
  ['ended', 'Delivery has ended'],
] as const)('a pace of %s is said in words', async (state, words) => {
  given({ pace: { state } });
  openApp(PLAN);
  const region = await card('Pace');
  expect((await within(region).findAllByText(words))[0]).toBeVisible();
});

test('the pace is a chart and a table, and the future has no spend', async () => {
  const { user } = openApp(PLAN);
  const region = await card('Pace');
  const chart = await within(region).findByRole('slider', { name: 'Pace over time' });
  expect(chart).toHaveAttribute(
    'aria-valuetext',
    expect.stringMatching(
      /, Spent 1,240\.30, Planned 1,232\.73, On pace from 1,172\.73, On pace up to 1,292\.73$/,
    ),
  );
  chart.focus();
  await user.keyboard('{End}');
  expect(chart).toHaveAttribute('aria-valuetext', expect.stringMatching(/Spent –, Planned 2,000\.00/));
  await user.click(within(region).getByText('Show as table'));
  const rows = within(region).getAllByRole('row');
  expect(rows).toHaveLength(16);
  expect(within(region).getByRole('columnheader', { name: 'Planned' })).toBeVisible();
  expect(rows.at(-1)).toHaveTextContent('–2,000.00');
});

test('a plan that is not paced shows placements alone, and nothing without any', async () => {
  given({ pace: { state: 'not_paced', series: [] } });
  const { unmount } = openApp(PLAN);
  expect(await within(await placementsCard()).findByText('Puzzle break')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Pace' })).not.toBeInTheDocument());
  unmount();
  given({ pace: { state: 'not_paced', series: [] }, placements: { items: [] } });
  openApp(PLAN);
  // Both cards are there until the answers come.
  await card('Pace');
  await waitFor(() => {
    expect(screen.queryByRole('region', { name: 'Pace' })).not.toBeInTheDocument();
    expect(screen.queryByRole('region', { name: 'Where your ads were shown' })).not.toBeInTheDocument();
  });
});

test('a paced plan without placements says so', async () => {
  given({ placements: { items: [] } });
  openApp(PLAN);
  expect(await within(await placementsCard()).findByText('Not shown anywhere yet')).toBeVisible();
});

test('a placement shows its rate with the range, its share and the reason', async () => {
  given({
    placements: { items: [placement({ spend: '75.00' }), placement({ placement: null, spend: '25.00' })] },
  });
  openApp(PLAN);
  const [first, last] = await within(await placementsCard()).findAllByRole('listitem');
  expect(first).toHaveTextContent('Harbour News, feed');
  expect(first).toHaveTextContent('2.40%95%: 2.16% – 2.67%');
  expect(first).toHaveTextContent('75.0075% of spend');
  expect(first).toHaveTextContent('Current share40%At its limit');
  expect(first).not.toHaveTextContent('Simulated');
  expect(within(last as HTMLElement).getByRole('heading', { name: 'Without a placement' })).toBeVisible();
});

test('without impressions there is no rate, and what was not decided has no share', async () => {
  const none = { impressions: 0, clicks: 0, ctr: 0, ctr_low: 0, ctr_high: 1, spend: '0.00' };
  given({ placements: { items: [placement({ ...none, share: null, reason: null })] } });
  openApp(PLAN);
  const item = await within(await placementsCard()).findByRole('listitem');
  expect(item).toHaveTextContent('Click rate–');
  expect(item).not.toHaveTextContent('95%');
  expect(item).not.toHaveTextContent('Current share');
});

test('simulated delivery is marked', async () => {
  given({ placements: { items: [placement({ simulated: true })] } });
  openApp(PLAN);
  expect(await within(await placementsCard()).findByText('Simulated')).toBeVisible();
});

test.each([
  [12, 'Still learning'],
  [30, 'Almost done learning'],
])('%i clicks in seven days: %s', async (clicks, words) => {
  given({ placements: { learning: { clicks, of: 50 } } });
  openApp(PLAN);
  const region = await placementsCard();
  expect(await within(region).findByText(words)).toBeVisible();
  expect(within(region).getByText(`${clicks} of 50 clicks in 7 days`)).toBeVisible();
  expect(within(region).getByRole('progressbar', { name: words })).toHaveAttribute(
    'aria-valuenow',
    String(clicks * 2),
  );
});

test.each([
  [50, PLAN],
  [12, '/plan/detail?id=plan-4'],
])('%i clicks of %s: nothing is learned any more', async (clicks, path) => {
  given({ placements: { learning: { clicks, of: 50 } } });
  openApp(path);
  const region = await placementsCard();
  expect(await within(region).findByText('Puzzle break')).toBeVisible();
  expect(within(region).queryByRole('progressbar')).not.toBeInTheDocument();
});

test('the reasons that are given are explained, and the others are not', async () => {
  given({ placements: { items: [placement({ reason: 'held', share: 0 })] } });
  const { user } = openApp(PLAN);
  const region = await placementsCard();
  await user.click(await within(region).findByText('What these figures mean'));
  expect(within(region).getByText(/^Its reports are being checked/)).toBeVisible();
  expect(within(region).queryByText(/^It would get more/)).not.toBeInTheDocument();
});

test('a long list begins with ten placements', async () => {
  const { user } = openApp(PLAN);
  const region = await placementsCard();
  const button = await within(region).findByRole('button', { name: 'Show all 12' });
  expect(within(region).getAllByRole('listitem')).toHaveLength(10);
  await user.click(button);
  expect(within(region).getAllByRole('listitem')).toHaveLength(12);
  await user.click(within(region).getByRole('button', { name: 'Show fewer' }));
  expect(within(region).getAllByRole('listitem')).toHaveLength(10);
});

test('a desk has a table with a head for every column and row', async () => {
  openApp(PLAN, { desk: true });
  const table = await within(await placementsCard()).findByRole('table');
  const heads = within(table).getAllByRole('columnheader');
  expect(heads.map((head) => head.textContent)).toEqual([
    'Placement',
    'Impressions',
    'Clicks',
    'Click rate',
    'Spend',
    'Current share',
  ]);
  expect(within(table).getByRole('row', { name: /^Puzzle break Simulated/ })).toHaveTextContent('17%Full');
  expect(within(table).getByRole('row', { name: /^Evening magazine 1/ })).toHaveTextContent('00–0.00');
});

test('what fails is tried again on its own, and the page stays', async () => {
  let isDown = true;
  server.use(
    http.get(PLACEMENTS, () => (isDown ? refusal(500, 'Down', { reason: 'UNAVAILABLE' }) : ok(placements()))),
  );
  const { user } = openApp(PLAN);
  const region = await placementsCard();
  const retry = await within(region).findByRole('button', { name: 'Try again' });
  expect(screen.getByText('1,240.30 of 2,000.00 consumed')).toBeVisible();
  expect(await screen.findByRole('slider', { name: 'Pace over time' })).toBeVisible();
  isDown = false;
  await user.click(retry);
  expect(await within(region).findByText('Puzzle break')).toBeVisible();
});

test.each(['plan-2', 'plan-3', 'plan-6'])('nothing is asked about %s, which never ran', async (id) => {
  const asked: string[] = [];
  server.use(
    http.get(PACE, ({ request }) => {
      asked.push(request.url);
      return ok(pace());
    }),
    http.get(PLACEMENTS, ({ request }) => {
      asked.push(request.url);
      return ok(placements());
    }),
  );
  openApp(`/plan/detail?id=${id}`);
  expect(await screen.findByRole('region', { name: 'Timeline' })).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Pace' })).not.toBeInTheDocument();
  expect(asked).toEqual([]);
});

test.each([
  ['matching', /you can cancel the plan while it is matching/],
  ['putting', /The rest of your budget stays untouched/],
] as const)('a %s plan that no placement can take says so', async (status, text) => {
  server.use(
    http.post('*/api/plan/order/detail', () =>
      ok(fixtures.planDetail({ status, no_supply_since: fixtures.at(-3_600_000) })),
    ),
  );
  openApp(PLAN);
  expect(
    await screen.findByText(/^No placement has been able to take this plan since .*Nov 20/),
  ).toBeVisible();
  expect(screen.getByText(text)).toBeVisible();
});
