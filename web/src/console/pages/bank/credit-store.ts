import type { QueryClient } from '@tanstack/react-query';
import { createStore } from '@/lib/store';
import { intentionKey, settleIntention } from '../../act/intentions';
import { staffPost } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { staffSession } from '../../session/store';
import { creditAll, type Done } from './credit-run';
import type { BankLine } from './line-state';
import { lineTouches } from './line-touches';

const PATH = '/admin/bank/line/credit';

/** While it runs, the page's lines are read anew after so many calls. */
const READ_EVERY = 25;

export type CreditRun = {
  statement: string;
  /** The member who has started it. It ends with their session. */
  member: string;
  total: number;
  done: readonly Done<BankLine>[];
  state: 'running' | 'stopping' | 'stopped' | 'finished';
};

/** The run of this tab. It goes on while its member looks at other pages. */
export const creditRun = createStore<CreditRun | null>(null);

export function isRunning(run: CreditRun | null): boolean {
  return run?.state === 'running' || run?.state === 'stopping';
}

/** Credits the lines to their matched users. One run at a time. */
export async function startCreditRun(
  statement: string,
  lines: readonly BankLine[],
  { reason, queryClient }: { reason: string; queryClient: QueryClient },
): Promise<void> {
  const { token, staff } = staffSession.get();
  if (isRunning(creditRun.get()) || staff === null) return;
  const change = (part: (run: CreditRun) => Partial<CreditRun>) =>
    creditRun.set((run) => (run === null ? run : { ...run, ...part(run) }));
  const readAnew = () => {
    const stale = [
      ...lineTouches(),
      consoleKeys.list('/admin/audit/list'),
      consoleKeys.list('/admin/approval/list'),
    ];
    for (const queryKey of stale) void queryClient.invalidateQueries({ queryKey });
  };
  creditRun.set({ statement, member: staff.id, total: lines.length, done: [], state: 'running' });
  const isWhole = await creditAll(lines, {
    credit: (line) => credit(line, reason),
    onDone: (one) => {
      change(({ done }) => ({ done: [...done, one] }));
      if ((creditRun.get()?.done.length ?? 0) % READ_EVERY === 0) readAnew();
    },
    // Whoever logs in next in this tab has not asked for it.
    isStopped: () => creditRun.get()?.state !== 'running' || staffSession.get().token !== token,
    wait: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  });
  change(() => ({ state: isWhole ? 'finished' : 'stopped' }));
  readAnew();
}

/** Lets the call that is on its way end, and makes no further one. */
export function stopCreditRun(): void {
  creditRun.set((run) => (run?.state === 'running' ? { ...run, state: 'stopping' } : run));
}

/** What a run has done is no longer shown. */
export function dropCreditRun(): void {
  creditRun.set((run) => (isRunning(run) ? run : null));
}

async function credit(line: BankLine, reason: string): Promise<void> {
  const body = { id: line.id, ...(reason === '' ? {} : { reason }) };
  try {
    await staffPost(PATH, body, { idempotencyKey: intentionKey(PATH, body) });
    settleIntention(PATH, body, null);
  } catch (error) {
    settleIntention(PATH, body, error);
    throw error;
  }
}
