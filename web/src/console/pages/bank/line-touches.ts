import type { QueryKey } from '@tanstack/react-query';
import { consoleKeys } from '../../api/keys';

/** What an act on a line changes: the lines, the counts of their statement, and its payer's wallet. */
export function lineTouches(): QueryKey[] {
  return [
    consoleKeys.list('/admin/bank/lines'),
    consoleKeys.list('/admin/bank/statements'),
    consoleKeys.one('/admin/user/detail'),
    consoleKeys.list('/admin/user/flow'),
  ];
}
