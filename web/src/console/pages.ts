import { mayCall, type Role, type StaffCall } from './api/roles';
import type { ConsoleKey } from './texts/key';

export const GROUPS = ['start', 'money', 'programme', 'catalogue', 'messages', 'people'] as const;
export type Group = (typeof GROUPS)[number];

export type PageSpec = {
  path: string;
  title: ConsoleKey;
  /** What the page reads. A role that may not read it does not see the page; null for everybody's pages. */
  needs: StaffCall | null;
  /** Where the menu shows it; null for pages that another page leads to. */
  group: Group | null;
};

/** Every page of the console, in the order of the menu. `routes.ts` has what draws them. */
export const PAGES = [
  {
    path: '/today',
    title: 'today.title',
    needs: null,
    group: 'start',
  },
  {
    path: '/withdrawals',
    title: 'withdrawals.title',
    needs: 'GET /admin/withdraw/list',
    group: 'money',
  },
  {
    path: '/payments',
    title: 'payments.title',
    needs: 'GET /admin/payment_batch/list',
    group: 'money',
  },
  {
    path: '/payments/:id',
    title: 'payments.one_title',
    needs: 'GET /admin/payment_batch/list',
    group: null,
  },
  {
    path: '/bank',
    title: 'bank.title',
    needs: 'GET /admin/bank/statements',
    group: 'money',
  },
  {
    path: '/bank/upload',
    title: 'bank.upload_title',
    needs: 'POST /admin/bank/statement',
    group: null,
  },
  {
    path: '/bank/:id',
    title: 'bank.one_title',
    needs: 'GET /admin/bank/lines',
    group: null,
  },
  {
    path: '/approvals',
    title: 'approvals.title',
    needs: 'GET /admin/approval/list',
    group: 'money',
  },
  {
    path: '/exchange',
    title: 'exchange.title',
    needs: 'GET /admin/exchange/list',
    group: 'money',
  },
  {
    path: '/freezes',
    title: 'freezes.title',
    needs: 'GET /admin/wallet/freezes',
    group: 'money',
  },
  {
    path: '/books',
    title: 'books.title',
    needs: 'GET /admin/wallet/reconcile',
    group: 'money',
  },
  {
    path: '/platform',
    title: 'platform.title',
    needs: 'GET /admin/platform/accounts',
    group: 'money',
  },
  {
    path: '/platform/:account',
    title: 'platform.one_title',
    needs: 'GET /admin/platform/entries',
    group: null,
  },
  {
    path: '/plans',
    title: 'plans.title',
    needs: 'GET /admin/plan/list',
    group: 'programme',
  },
  {
    path: '/plans/push',
    title: 'plans.push_title',
    needs: 'POST /admin/plan/push',
    group: null,
  },
  {
    path: '/plans/:id',
    title: 'plans.one_title',
    needs: 'POST /admin/plan/detail',
    group: null,
  },
  {
    path: '/imports',
    title: 'delivery.imports_title',
    needs: 'GET /admin/delivery/imports',
    group: 'programme',
  },
  {
    path: '/imports/new',
    title: 'delivery.wizard_title',
    needs: 'POST /admin/delivery/import',
    group: null,
  },
  {
    path: '/quarantine',
    title: 'delivery.quarantine_title',
    needs: 'GET /admin/delivery/quarantine/list',
    group: 'programme',
  },
  {
    path: '/sources',
    title: 'delivery.sources_title',
    needs: 'GET /admin/source/list',
    group: 'programme',
  },
  {
    path: '/products',
    title: 'products.title',
    needs: 'GET /admin/product/list',
    group: 'catalogue',
  },
  {
    path: '/networks',
    title: 'supply.networks_title',
    needs: 'GET /admin/network/list',
    group: 'catalogue',
  },
  {
    path: '/placements',
    title: 'supply.placements_title',
    needs: 'GET /admin/placement/list',
    group: 'catalogue',
  },
  {
    path: '/campaigns',
    title: 'campaigns.title',
    needs: 'GET /admin/coupon/campaign/list',
    group: 'catalogue',
  },
  {
    path: '/acceptors',
    title: 'acceptors.title',
    needs: 'GET /admin/acceptor/list',
    group: 'catalogue',
  },
  {
    path: '/operators',
    title: 'operators.title',
    needs: 'GET /admin/operator/list',
    group: 'catalogue',
  },
  {
    path: '/licences',
    title: 'licences.title',
    needs: 'GET /admin/license/list',
    group: 'catalogue',
  },
  {
    path: '/hosts',
    title: 'hosts.title',
    needs: 'GET /admin/host/list',
    group: 'catalogue',
  },
  {
    path: '/feedback',
    title: 'feedback.title',
    needs: 'GET /admin/feedback/list',
    group: 'messages',
  },
  {
    path: '/notices',
    title: 'notices.title',
    needs: 'GET /admin/announcement/list',
    group: 'messages',
  },
  {
    path: '/notices/new',
    title: 'notices.new_title',
    needs: 'POST /admin/notification/create',
    group: null,
  },
  {
    path: '/notices/:id',
    title: 'notices.one_title',
    needs: 'GET /admin/announcement/list',
    group: null,
  },
  {
    path: '/notices/:id/edit',
    title: 'notices.edit_title',
    needs: 'POST /admin/announcement/edit',
    group: null,
  },
  {
    path: '/content',
    title: 'content.title',
    needs: 'GET /admin/content',
    group: 'messages',
  },
  {
    path: '/content/versions',
    title: 'content.versions.title',
    needs: 'GET /admin/content/versions',
    group: null,
  },
  {
    path: '/content/versions/:version',
    title: 'content.versions.number',
    needs: 'GET /admin/content/version',
    group: null,
  },
  {
    path: '/users',
    title: 'users.title',
    needs: 'GET /admin/user/list',
    group: 'people',
  },
  {
    path: '/users/:id',
    title: 'users.one_title',
    needs: 'POST /admin/user/detail',
    group: null,
  },
  {
    path: '/users/:id/flow',
    title: 'users.flow',
    needs: 'GET /admin/user/flow',
    group: null,
  },
  {
    path: '/staff',
    title: 'staff.title',
    needs: 'GET /admin/staff/list',
    group: 'people',
  },
  {
    path: '/audit',
    title: 'audit.title',
    needs: 'GET /admin/audit/list',
    group: 'people',
  },
  {
    path: '/own-security',
    title: 'own_security.title',
    needs: null,
    group: null,
  },
] as const satisfies readonly PageSpec[];

export type PagePath = (typeof PAGES)[number]['path'];

export function pagesFor(role: Role): (typeof PAGES)[number][] {
  return PAGES.filter(({ needs }) => needs === null || mayCall(role, needs));
}
