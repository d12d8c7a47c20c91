import { type PostBody, post } from '@/lib/api/call';

/** `key` makes a repeated tap or a retry after a lost answer count as one submission. */
export const submitFeedback = (body: PostBody<'/feedback'>, key: string) =>
  post('/feedback', body, { idempotencyKey: key });
