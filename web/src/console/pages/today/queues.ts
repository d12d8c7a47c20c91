import type { GetQuery } from '@/lib/api/contract';
import { mayCall, type Role, type StaffCall } from '../../api/roles';
import type { ListPath, RowOf } from '../../table/list';
import { fetchPage } from '../../table/use-list';
import type { ConsoleKey } from '../../texts/key';

/** What is counted at most. A longer queue says that it is longer. */
const COUNTED = 500;

export type Waiting = {
  count: number;
  /** Whether there are more than `count`. */
  isMore: boolean;
  /** Since when the oldest that was counted waits; null if nothing waits, or the server does not say. */
  oldest: string | null;
};

export type Queue = {
  id: string;
  label: ConsoleKey;
  needs: StaffCall;
  path: ListPath;
  /** The page where it is decided. */
  to: string;
  count: (signal: AbortSignal) => Promise<Waiting>;
};

type Spec<P extends ListPath> = {
  id: string;
  label: ConsoleKey;
  path: P;
  query: GetQuery<P>;
  to: string;
  /** Since when a row waits; null where the server does not say. */
  since: (row: RowOf<P>) => string | null;
  /** For lists that have others, too, and no filter for it. */
  waits?: (row: RowOf<P>) => boolean;
};

function queue<P extends ListPath>({ id, label, path, query, to, since, waits }: Spec<P>): Queue {
  return {
    id,
    label,
    needs: `GET ${path}` as StaffCall,
    path,
    to,
    count: async (signal) => {
      let cursor: string | null = null;
      let count = 0;
      let read = 0;
      let oldest: string | null = null;
      do {
        const page: { items: RowOf<P>[]; next: string | null } = await fetchPage(path, query, cursor, signal);
        read += page.items.length;
        for (const row of page.items.filter(waits ?? (() => true))) {
          count += 1;
          const time = since(row);
          if (time !== null && (oldest === null || Date.parse(time) < Date.parse(oldest))) oldest = time;
        }
        cursor = page.next;
      } while (cursor !== null && read < COUNTED);
      return { count, isMore: cursor !== null, oldest };
    },
  };
}

/** The queues of work for staff. */
const QUEUES: readonly Queue[] = [
  queue({
    id: 'withdrawals',
    label: 'today.withdrawals',
    path: '/admin/withdraw/list',
    query: { status: 'pending' },
    to: '/withdrawals',
    since: ({ time }) => time,
    // The others are decided by their payment batch.
    waits: (withdrawal) => withdrawal.payment_batch_id === null,
  }),
  queue({
    id: 'batches_proposed',
    label: 'today.batches_proposed',
    path: '/admin/payment_batch/list',
    query: { state: 'proposed' },
    to: '/payments?state=proposed',
    since: (batch) => batch.proposed_at,
  }),
  queue({
    id: 'batches_released',
    label: 'today.batches_released',
    path: '/admin/payment_batch/list',
    query: { state: 'released' },
    to: '/payments?state=released',
    since: (batch) => batch.decided_at,
  }),
  queue({
    id: 'bank',
    label: 'today.bank',
    path: '/admin/bank/statements',
    query: {},
    to: '/bank',
    since: (statement) => statement.uploaded_at,
    waits: (statement) => statement.open_lines > 0,
  }),
  queue({
    id: 'approvals',
    label: 'today.approvals',
    path: '/admin/approval/list',
    query: { state: 'pending' },
    to: '/approvals',
    since: (approval) => approval.requested_at,
  }),
  queue({
    id: 'exchange',
    label: 'today.exchange',
    path: '/admin/exchange/list',
    query: { status: 'pending' },
    to: '/exchange',
    since: (order) => order.create_time,
  }),
  queue({
    id: 'freezes',
    label: 'today.freezes',
    path: '/admin/wallet/freezes',
    query: {},
    to: '/freezes',
    since: (freeze) => freeze.frozen_at,
    waits: (freeze) => freeze.lifted_at === null && freeze.staff_agreed_at === null,
  }),
  queue({
    id: 'imports',
    label: 'today.imports',
    path: '/admin/delivery/imports',
    query: { state: 'proposed' },
    to: '/imports?state=proposed',
    since: ({ at }) => at,
  }),
  queue({
    id: 'quarantine',
    label: 'today.quarantine',
    path: '/admin/delivery/quarantine/list',
    query: { state: 'waiting' },
    to: '/quarantine?state=waiting',
    since: ({ at }) => at,
  }),
  queue({
    id: 'settlement',
    label: 'today.settlement',
    path: '/admin/plan/list',
    query: { status: 'waiting_settlement' },
    to: '/plans?status=waiting_settlement',
    since: (plan) => plan.finish_time ?? plan.create_time,
  }),
  queue({
    id: 'campaigns',
    label: 'today.campaigns',
    path: '/admin/coupon/campaign/list',
    query: {},
    to: '/campaigns',
    since: () => null,
    waits: ({ state }) => state === 'proposed',
  }),
  queue({
    id: 'feedback',
    label: 'today.feedback',
    path: '/admin/feedback/list',
    query: { state: 'open' },
    to: '/feedback',
    since: ({ time }) => time,
  }),
];

export function queuesFor(role: Role): Queue[] {
  return QUEUES.filter(({ needs }) => mayCall(role, needs));
}
