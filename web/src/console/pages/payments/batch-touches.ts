import type { QueryKey } from '@tanstack/react-query';
import { consoleKeys } from '../../api/keys';

/** What an act on a batch changes: the batches, their withdrawals, and the wallets. */
export function batchTouches(): QueryKey[] {
  return [
    consoleKeys.list('/admin/payment_batch/list'),
    consoleKeys.list('/admin/withdraw/list'),
    consoleKeys.one('/admin/user/detail'),
  ];
}
