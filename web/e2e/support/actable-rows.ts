import type { components } from '../../src/lib/api/schema';
import { type Api, newAdvertiser, uniqueName } from './api';
import { newMember } from './console';
import { newCode, newExchanger } from './exchange';
import type { RowOffers } from './offers';
import { md5, PAY_PASSWORD } from './pay-password';
import { importReports, newProduct } from './plans';

type Schemas = components['schemas'];

/** A row of each list whose rows have acts, and what its menu offers. */
export async function actableRows(staff: Api): Promise<RowOffers[]> {
  return [...(await madeByStaff(staff)), await pendingExchange(staff), await heldReport(staff)];
}

/** An exchange order that waits for a decision. */
async function pendingExchange(staff: Api): Promise<RowOffers> {
  const { api, user } = await newExchanger(staff);
  const code = await newCode(staff, user.id);
  const password = md5(PAY_PASSWORD);
  await api.post('/acceptor/order/create', { kind: 'enterprise', code, amount: '50.00', password });
  return {
    needs: 'GET /admin/exchange/list',
    path: `/exchange?user_id=${user.id}`,
    row: `Actions for ${user.username}, 50.00`,
    items: [
      { name: 'Complete', call: 'POST /admin/exchange/decide' },
      { name: 'Cancel the order', call: 'POST /admin/exchange/decide' },
    ],
  };
}

/** A report that the gate holds back: it spends money for nothing delivered. */
async function heldReport(staff: Api): Promise<RowOffers> {
  const { api, user } = await newAdvertiser(staff);
  await staff.deposit(user.id, '200.00');
  const product = await newProduct(staff);
  const plan = await api.post<Schemas['Plan']>('/plan/order/put', {
    product_id: product.id,
    amount: '100.00',
  });
  await importReports(staff, [{ id: 'held', plan: plan.plan_number, figures: [0, 0, '1.00', '1.50'] }]);
  return {
    needs: 'GET /admin/delivery/quarantine/list',
    path: '/quarantine?state=waiting',
    row: `Actions for ${plan.plan_number}, held`,
    items: [
      { name: 'Show details', call: 'GET /admin/delivery/quarantine/list' },
      { name: 'Release', call: 'POST /admin/delivery/quarantine/decide' },
      { name: 'Reject', call: 'POST /admin/delivery/quarantine/decide' },
    ],
  };
}

/** Rows of lists that the catalogue, messages and staff have. */
async function madeByStaff(staff: Api): Promise<RowOffers[]> {
  const name = uniqueName();
  await staff.post('/admin/source/save', { source: name, channels: ['file'] });
  const network = await staff.post<Schemas['NetworkWithKey']>('/admin/network/create', {
    name,
    source: `${name}-n`,
  });
  await staff.post('/admin/placement/create', { network_id: network.id, name, format: 'banner' });
  const product = await newProduct(staff);
  await staff.post('/admin/coupon/campaign/create', {
    name,
    type: 'custom',
    mode: 'deduction',
    value: '1.00',
    amount_requirement: '10.00',
    kind: 'staff',
    total: 1,
    valid_days: 30,
  });
  await staff.post('/admin/acceptor/create', { name, kind: 'personal' });
  const member = await newMember(staff, 'support');
  await staff.post('/admin/notification/create', {
    category: 'activity',
    to: 'all',
    title: { en: name },
    content: { en: 'Ten percent more.' },
    publish_at: new Date(Date.now() + 20 * 86_400_000).toISOString(),
  });
  const row = `Actions for ${name}`;
  return [
    {
      needs: 'GET /admin/source/list',
      path: '/sources',
      row,
      items: [
        { name: 'Change how it reports', call: 'POST /admin/source/save' },
        { name: 'Add a key', call: 'POST /admin/source/key/add' },
      ],
    },
    {
      needs: 'GET /admin/network/list',
      path: '/networks',
      row,
      items: [
        { name: 'Edit', call: 'POST /admin/network/edit' },
        { name: 'Issue a key', call: 'POST /admin/network/key' },
      ],
    },
    {
      needs: 'GET /admin/placement/list',
      path: `/placements?network_id=${network.id}`,
      row,
      items: [
        { name: 'Set a price', call: 'POST /admin/placement/price' },
        { name: 'Edit', call: 'POST /admin/placement/edit' },
      ],
    },
    {
      needs: 'GET /admin/product/list',
      path: '/products',
      row: `Actions for ${product.name}`,
      items: [{ name: 'Edit', call: 'POST /admin/product/edit' }],
    },
    {
      needs: 'GET /admin/coupon/campaign/list',
      path: '/campaigns',
      row,
      items: [{ name: 'Grant a coupon', call: 'POST /admin/coupon/grant' }],
    },
    {
      needs: 'GET /admin/acceptor/list',
      path: '/acceptors',
      row,
      items: [{ name: 'Issue a code', call: 'POST /admin/acceptance_code/create' }],
    },
    {
      needs: 'GET /admin/staff/list',
      path: '/staff',
      row: `Actions for ${member.username}`,
      items: [
        { name: 'Change role…', call: 'POST /admin/staff/role' },
        { name: 'One-time password…', call: 'POST /admin/staff/password' },
        { name: 'End sessions…', call: 'POST /admin/staff/sessions/end' },
        { name: 'Disable…', call: 'POST /admin/staff/state' },
      ],
    },
    {
      needs: 'GET /admin/announcement/list',
      path: '/notices?state=scheduled',
      row,
      items: [{ name: 'Withdraw', call: 'POST /admin/announcement/withdraw' }],
    },
  ];
}
