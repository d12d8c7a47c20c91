import { expect, test } from 'vitest';
import { ApiError, NETWORK } from '@/lib/api/error';
import { creditAll, type Done, type LineOutcome, MOST_LINES } from './credit-run';

const refusal = (code: number, reason: string, after: number | null = null) =>
  new ApiError(code, reason, { reason, retry_after: after });

/** Runs over lines that are numbers; `answers` has what the calls for a line answer, one after another. */
async function runOver(
  lines: readonly number[],
  {
    answers = {},
    stopAfter = Number.POSITIVE_INFINITY,
  }: { answers?: Record<number, unknown[]>; stopAfter?: number },
) {
  const done: Done<number>[] = [];
  const calls: number[] = [];
  const waits: number[] = [];
  const isWhole = await creditAll(lines, {
    credit: (line) => {
      calls.push(line);
      const answer = answers[line]?.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    onDone: (one) => done.push(one),
    isStopped: () => done.length >= stopAfter,
    wait: (seconds) => {
      waits.push(seconds);
      return Promise.resolve();
    },
  });
  const outcomes: [number, LineOutcome][] = done.map(({ line, outcome }) => [line, outcome]);
  return { outcomes, calls, waits, isWhole };
}

test('each line has its own outcome, and a refusal does not end the run', async () => {
  const answers = { 2: [refusal(400, 'APPROVAL_REQUIRED')], 3: [refusal(400, 'NOTHING_CHANGED')] };
  const { outcomes, isWhole } = await runOver([1, 2, 3, 4], { answers });
  expect(outcomes).toEqual([
    [1, 'credited'],
    [2, 'waits'],
    [3, 'refused'],
    [4, 'credited'],
  ]);
  expect(isWhole).toBe(true);
});

test('a stop ends the run before the next call', async () => {
  const { calls, isWhole } = await runOver([1, 2, 3], { stopAfter: 2 });
  expect(calls).toEqual([1, 2]);
  expect(isWhole).toBe(false);
});

test('a run has a bound', async () => {
  const lines = Array.from({ length: MOST_LINES + 20 }, (_, index) => index);
  const { calls } = await runOver(lines, {});
  expect(calls).toHaveLength(MOST_LINES);
});

test('a call that is one too many waits, and is made again a few times', async () => {
  const busy = () => refusal(429, 'TOO_MANY_ATTEMPTS', 7);
  const { outcomes, waits } = await runOver([1, 2], { answers: { 1: [busy(), busy()] } });
  expect(outcomes).toEqual([
    [1, 'credited'],
    [2, 'credited'],
  ]);
  expect(waits).toEqual([7, 7]);
  const forever = await runOver([1, 2], { answers: { 1: Array.from({ length: 9 }, busy) } });
  expect(forever.outcomes).toEqual([[1, 'refused']]);
  expect(forever.calls).toHaveLength(4);
});

test('a lost answer and an ended session end the run', async () => {
  const lost = await runOver([1, 2], { answers: { 1: [new ApiError(0, '', { reason: NETWORK })] } });
  expect(lost.outcomes).toEqual([[1, 'unknown']]);
  const ended = await runOver([1, 2], { answers: { 1: [refusal(503, 'SESSION_EXPIRED')] } });
  expect(ended.outcomes).toEqual([[1, 'refused']]);
  expect(ended.isWhole).toBe(false);
});
