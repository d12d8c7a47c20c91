import { post } from '@/lib/api/call';
import type { PostBody } from '@/lib/api/contract';

/** `key` makes a repeated tap or a retry after a lost answer count as one submission. */
export const submitFeedback = (body: PostBody<'/feedback'>, key: string) =>
  post('/feedback', body, { idempotencyKey: key });
