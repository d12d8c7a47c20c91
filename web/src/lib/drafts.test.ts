import { beforeEach, expect, test, vi } from 'vitest';

/** The module as a freshly loaded page sees it. */
async function loaded() {
  vi.resetModules();
  return import('./drafts');
}

beforeEach(() => sessionStorage.clear());

test('a draft is there again after a reload, without anything secret', async () => {
  const first = await loaded();
  first.setDraftOwner('user-1');
  first.keepDraft('feedback', { topic: 'Delivery', password: 'correct horse', code: '' });
  const second = await loaded();
  expect(second.draftOf('feedback')).toEqual({ topic: 'Delivery' });
  expect(sessionStorage.getItem('adfolio.drafts')).not.toContain('horse');
});

test('somebody else finds nothing, the same user finds it', async () => {
  const drafts = await loaded();
  drafts.setDraftOwner('user-1');
  drafts.keepDraft('feedback', { topic: 'Delivery' });
  drafts.setDraftOwner('user-1');
  expect(drafts.draftOf('feedback')).toEqual({ topic: 'Delivery' });
  drafts.setDraftOwner('user-2');
  expect(drafts.draftOf('feedback')).toEqual({});
});

test('a form that was emptied has no draft, and what was sent is gone', async () => {
  const drafts = await loaded();
  drafts.keepDraft('a', { topic: 'Delivery' });
  drafts.keepDraft('b', { topic: 'Profit' });
  drafts.keepDraft('a', { topic: '' });
  drafts.dropDraft('b');
  expect([drafts.draftOf('a'), drafts.draftOf('b')]).toEqual([{}, {}]);
});

test('what another version stored is not taken', async () => {
  sessionStorage.setItem('adfolio.drafts', '["feedback"]');
  expect((await loaded()).draftOf('feedback')).toEqual({});
});
