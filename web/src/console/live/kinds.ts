import type { QueryKey } from '@tanstack/react-query';
import type { StaffGetPath, StaffPostPath } from '../api/call';
import { consoleKeys } from '../api/keys';

type ReadPath = StaffGetPath | Extract<StaffPostPath, `${string}/detail`>;

/**
 * What the console has read that an event of each kind may have changed. Names come from the gateway's `Topic`. The
 * proof of the books is in none: it reads all of the ledger, so it is made when somebody asks.
 */
const READ_OF = {
  withdrawals: [
    '/admin/today',
    '/admin/withdraw/list',
    '/admin/payment_batch/list',
    '/admin/bank/lines',
    '/admin/bank/statements',
    '/admin/platform/accounts',
    '/admin/platform/entries',
    '/admin/user/detail',
  ],
  approvals: ['/admin/today', '/admin/approval/list'],
  bank_lines: ['/admin/today', '/admin/bank/lines', '/admin/bank/statements'],
  payment_batches: ['/admin/today', '/admin/payment_batch/list'],
  freezes: ['/admin/today', '/admin/wallet/freezes', '/admin/user/detail'],
  exchange_orders: ['/admin/today', '/admin/exchange/list', '/admin/user/detail'],
  acceptors: ['/admin/acceptor/list'],
  feedback: ['/admin/today', '/admin/feedback/list'],
  delivery_imports: ['/admin/today', '/admin/delivery/imports'],
  quarantined_reports: ['/admin/today', '/admin/delivery/quarantine/list'],
  sources: ['/admin/today', '/admin/source/list'],
  supply: ['/admin/network/list', '/admin/placement/list'],
  plans: [
    '/admin/today',
    '/admin/plan/list',
    '/admin/plan/detail',
    '/admin/plan/pace',
    '/admin/plan/placements',
    '/admin/user/detail',
  ],
  products: ['/admin/product/list'],
  operators: ['/admin/operator/list'],
  campaigns: ['/admin/today', '/admin/coupon/campaign/list'],
  announcements: ['/admin/announcement/list', '/admin/announcement/detail'],
  content: ['/admin/content', '/admin/content/version', '/admin/content/versions'],
  users: ['/admin/user/list', '/admin/user/detail'],
  licenses: ['/admin/license/list'],
  staff: ['/admin/staff/list'],
  hosts: ['/admin/host/list'],
  audit: ['/admin/audit/list'],
} as const satisfies Readonly<Record<string, readonly ReadPath[]>>;

export type LiveKind = keyof typeof READ_OF;

export const LIVE_KINDS = Object.keys(READ_OF) as LiveKind[];

export function isLiveKind(name: unknown): name is LiveKind {
  return typeof name === 'string' && Object.hasOwn(READ_OF, name);
}

/** The keys of what events of these kinds may have changed, each once. */
export function staleKeys(kinds: readonly LiveKind[]): QueryKey[] {
  const paths = new Set<ReadPath>(kinds.flatMap((kind): readonly ReadPath[] => READ_OF[kind]));
  return [...paths].map((path) => consoleKeys.one(path));
}

/**
 * Lists of which every change has an event. Of the others some have none: new feedback, a request that runs out, the
 * figures of a plan, how often a coupon was claimed, an announcement whose time has come, a line of the bank whose
 * request runs out.
 */
const WHOLLY_TOLD: readonly StaffGetPath[] = [
  '/admin/withdraw/list',
  '/admin/payment_batch/list',
  '/admin/wallet/freezes',
  '/admin/delivery/quarantine/list',
  '/admin/source/list',
  '/admin/network/list',
  '/admin/placement/list',
  '/admin/product/list',
  '/admin/operator/list',
  '/admin/user/list',
  '/admin/license/list',
  '/admin/staff/list',
  '/admin/host/list',
  '/admin/audit/list',
];

export function isWhollyTold(path: StaffGetPath): boolean {
  return WHOLLY_TOLD.includes(path);
}
