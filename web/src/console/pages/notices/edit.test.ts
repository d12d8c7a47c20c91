import { expect, test } from 'vitest';
import { type AnnouncementDetail, changesOf, editOf, localOf, rebase } from './edit';

const BASE: AnnouncementDetail = {
  id: 'a-1',
  category: 'maintenance',
  state: 'scheduled',
  to: 'users',
  recipients: 2,
  reached: null,
  title: { en: 'Maintenance', de: 'Wartung' },
  content: { en: 'At two.', de: 'Um zwei.' },
  version: 1,
  made_by: 's-1',
  time: '2026-05-01T10:00:00Z',
  publish_at: '2026-05-02T10:00:00Z',
  published_at: null,
  changed_by: null,
  changed_at: null,
  withdrawal_reason: null,
  users: [
    { id: 'u-1', username: 'ada' },
    { id: 'u-2', username: null },
  ],
};

test('an edit sends what differs', () => {
  const edit = editOf(BASE);
  expect(changesOf(edit)).toEqual({});
  const draft = { ...edit.draft, at: localOf('2026-05-03T08:30:00Z'), content: { en: 'At three.' } };
  expect(changesOf({ ...edit, draft })).toEqual({
    publish_at: '2026-05-03T08:30:00.000Z',
    content: { en: 'At three.' },
  });
  expect(changesOf({ ...edit, draft: { ...edit.draft, to: 'all' } })).toEqual({ to: 'all' });
  const [ada, other] = edit.draft.users;
  if (!ada || !other) throw new Error('two users');
  expect(changesOf({ ...edit, draft: { ...edit.draft, users: [other, ada] } })).toEqual({});
  expect(changesOf({ ...edit, draft: { ...edit.draft, users: [ada] } })).toEqual({ to: ['u-1'] });
});

test('what was typed survives a change by somebody else, and the rest follows it', () => {
  const edit = editOf(BASE);
  const mine = { ...edit, draft: { ...edit.draft, title: { en: 'Maintenance at three', de: 'Wartung' } } };
  const fresh: AnnouncementDetail = {
    ...BASE,
    version: 2,
    category: 'announcement',
    title: { en: 'Maintenance on Monday', de: 'Wartung am Montag' },
  };
  const next = rebase(mine, fresh);
  expect(next.base.version).toBe(2);
  expect(next.draft.category).toBe('announcement');
  expect(next.draft.title).toEqual({ en: 'Maintenance at three', de: 'Wartung am Montag' });
  expect(next.theirs).toEqual([
    { part: 'category', before: BASE, after: fresh, isMineToo: false },
    {
      part: 'title',
      code: 'en',
      before: 'Maintenance',
      after: 'Maintenance on Monday',
      mine: 'Maintenance at three',
    },
    { part: 'title', code: 'de', before: 'Wartung', after: 'Wartung am Montag', mine: null },
  ]);
  expect(changesOf(next)).toEqual({ title: { en: 'Maintenance at three', de: 'Wartung am Montag' } });
});

test('recipients that were not touched follow the other member, and one’s own stay', () => {
  const edit = editOf(BASE);
  const fresh: AnnouncementDetail = {
    ...BASE,
    version: 2,
    recipients: 1,
    users: [{ id: 'u-3', username: 'grace' }],
  };
  const followed = rebase(edit, fresh);
  expect(followed.draft.users).toEqual([{ id: 'u-3', name: 'grace' }]);
  expect(followed.theirs).toEqual([{ part: 'recipients', before: BASE, after: fresh, isMineToo: false }]);
  const mine = rebase({ ...edit, draft: { ...edit.draft, to: 'all' } }, fresh);
  expect(mine.draft.to).toBe('all');
  expect(mine.theirs).toEqual([{ part: 'recipients', before: BASE, after: fresh, isMineToo: true }]);
  expect(changesOf(mine)).toEqual({ to: 'all' });
});
