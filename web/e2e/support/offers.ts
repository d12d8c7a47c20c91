import type { StaffCall } from '../../src/console/api/roles';
import type { PagePath } from '../../src/console/pages';

/** A button, a link or an item of a menu, and the call that it leads to. */
export type Offer = { name: string; call: StaffCall };

/** What a page offers besides its rows. */
export const OFFERS: readonly (Offer & { path: PagePath })[] = [
  { path: '/bank', name: 'Upload statement', call: 'POST /admin/bank/statement' },
  { path: '/bank/upload', name: 'Upload statement', call: 'POST /admin/bank/statement' },
  { path: '/platform', name: 'Entries of Deposits', call: 'GET /admin/platform/entries' },
  { path: '/plans', name: 'Push a plan', call: 'POST /admin/plan/push' },
  { path: '/imports', name: 'Import', call: 'POST /admin/delivery/import' },
  { path: '/sources', name: 'Register a source', call: 'POST /admin/source/save' },
  { path: '/products', name: 'Create product', call: 'POST /admin/product/create' },
  { path: '/networks', name: 'Create network', call: 'POST /admin/network/create' },
  { path: '/placements', name: 'Create placement', call: 'POST /admin/placement/create' },
  { path: '/campaigns', name: 'Create campaign', call: 'POST /admin/coupon/campaign/create' },
  { path: '/acceptors', name: 'Create acceptor', call: 'POST /admin/acceptor/create' },
  { path: '/operators', name: 'Create operator', call: 'POST /admin/operator/create' },
  { path: '/licences', name: 'Issue keys', call: 'POST /admin/license/create' },
  { path: '/hosts', name: 'Register host', call: 'POST /admin/host/create' },
  { path: '/notices', name: 'Write an announcement', call: 'POST /admin/notification/create' },
  { path: '/content', name: 'Versions', call: 'GET /admin/content/versions' },
  { path: '/staff', name: 'New member', call: 'POST /admin/staff/create' },
];

/** What a user's page offers. */
export const OFFERS_FOR_USER: readonly Offer[] = [
  { name: 'Post to the wallet', call: 'POST /admin/wallet/deposit' },
  { name: 'Account', call: 'POST /admin/user/state' },
  { name: 'Push a plan', call: 'POST /admin/plan/push' },
  { name: 'Write a notice', call: 'POST /admin/notification/create' },
  { name: 'Audit log', call: 'GET /admin/audit/list' },
  { name: 'Fund details', call: 'GET /admin/user/flow' },
  { name: 'Show the notices', call: 'GET /admin/user/notices' },
];

/** What the page of a user's fund details offers. */
export const OFFERS_FOR_FLOW: readonly Offer[] = [
  { name: 'Download statement', call: 'GET /admin/user/statement' },
];

/** The menus of a user's page. */
export const MENUS_FOR_USER: readonly { name: string; items: readonly Offer[] }[] = [
  {
    name: 'Post to the wallet',
    items: [
      { name: 'Credit a deposit', call: 'POST /admin/wallet/deposit' },
      { name: 'Chargeback', call: 'POST /admin/wallet/chargeback' },
      { name: 'Deduction', call: 'POST /admin/wallet/recharge_deduction' },
      { name: 'Charge a membership', call: 'POST /admin/wallet/membership' },
      { name: 'Grant start-up funds', call: 'POST /admin/wallet/start_up_funds' },
      { name: 'Take back start-up funds', call: 'POST /admin/wallet/start_up_funds' },
      { name: 'Move to the guarantee', call: 'POST /admin/wallet/guarantee' },
      { name: 'Return the guarantee', call: 'POST /admin/wallet/guarantee' },
    ],
  },
  {
    name: 'Account',
    items: [
      { name: 'Change standing', call: 'POST /admin/user/profile' },
      { name: 'End sessions', call: 'POST /admin/user/sessions/end' },
      { name: 'Change state', call: 'POST /admin/user/state' },
    ],
  },
];

/** A row whose menu of acts is looked at, on a page that needs a call. */
export type RowOffers = {
  needs: StaffCall;
  path: string;
  /** The name of the button that opens the menu. */
  row: string | RegExp;
  /** All that the menu offers to who may do everything, in any order. */
  items: readonly Offer[];
};
