import { expect, test } from 'vitest';
import { type Announcement, changesOf, editOf, localOf, rebase } from './edit';

const BASE: Announcement = {
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
};

test('an edit sends what differs, and leaves recipients that the server does not name', () => {
  const edit = editOf(BASE);
  expect(changesOf(edit)).toEqual({});
  const draft = { ...edit.draft, at: localOf('2026-05-03T08:30:00Z'), content: { en: 'At three.' } };
  expect(changesOf({ ...edit, draft })).toEqual({
    publish_at: '2026-05-03T08:30:00.000Z',
    content: { en: 'At three.' },
  });
  expect(changesOf({ ...edit, draft: { ...edit.draft, to: 'all' } })).toEqual({ to: 'all' });
});

test('what was typed survives a change by somebody else, and the rest follows it', () => {
  const edit = editOf(BASE);
  const mine = { ...edit, draft: { ...edit.draft, title: { en: 'Maintenance at three', de: 'Wartung' } } };
  const fresh: Announcement = {
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
