import { LANGUAGES, type LanguageCode } from '@/i18n/languages';
import type { PostBody } from '@/lib/api/contract';
import type { components } from '@/lib/api/schema';
import { type NoticeDraft, type Texts, writtenOf } from './draft';

export type Announcement = components['schemas']['Announcement'];
export type AnnouncementDetail = components['schemas']['AnnouncementDetail'];

type Body = PostBody<'/admin/announcement/edit'>;

/** A scheduled announcement that is being edited: what it was when that began, and what it is to become. */
export type NoticeEdit = {
  base: AnnouncementDetail;
  draft: NoticeDraft;
  /** What somebody else changed since, after it was read anew. */
  theirs: readonly TheirChange[];
};

/** One thing that somebody else changed. A time and recipients are described by the announcements themselves. */
export type TheirChange =
  | {
      part: 'category' | 'recipients' | 'time';
      before: Announcement;
      after: Announcement;
      isMineToo: boolean;
    }
  | {
      part: 'title' | 'content';
      code: LanguageCode;
      before: string;
      after: string;
      /** What is typed here, where that is neither of the two. */
      mine: string | null;
    };

export function editOf(base: AnnouncementDetail): NoticeEdit {
  return { base, draft: draftOf(base), theirs: [] };
}

export function draftOf(announcement: AnnouncementDetail): NoticeDraft {
  const { category, to, users, title, content, publish_at: at } = announcement;
  return {
    category,
    to: to === 'all' ? 'all' : 'chosen',
    users: users.map(({ id, username }) => ({ id, name: username ?? id })),
    title,
    content,
    when: 'later',
    at: at === null ? '' : localOf(at),
  };
}

/** The value of a `datetime-local` input for an instant. */
export function localOf(instant: string): string {
  const time = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** What is sent: the parts that differ from `base`, which is what the server compares the version with. */
export function changesOf({ base, draft }: NoticeEdit): Omit<Body, 'id' | 'version'> {
  const was = draftOf(base);
  return {
    ...(draft.category === was.category ? {} : { category: draft.category }),
    ...recipientsOf(draft, was),
    ...(isSame(draft.title, was.title) ? {} : { title: writtenOf(draft.title) }),
    ...(isSame(draft.content, was.content) ? {} : { content: writtenOf(draft.content) }),
    ...(draft.at === was.at ? {} : { publish_at: new Date(draft.at).toISOString() }),
  };
}

function recipientsOf(draft: NoticeDraft, was: NoticeDraft): Pick<Body, 'to'> {
  if (hasSameRecipients(draft, was)) return {};
  return { to: draft.to === 'all' ? 'all' : draft.users.map(({ id }) => id) };
}

/** Whether both are for the same people, whatever was chosen for an announcement to all. */
function hasSameRecipients(one: NoticeDraft, other: NoticeDraft): boolean {
  if (one.to === 'all' || other.to === 'all') return one.to === other.to;
  const known = new Set(other.users.map(({ id }) => id));
  return one.users.length === known.size && one.users.every(({ id }) => known.has(id));
}

/** The same edit of what stands now. What was typed stays, and what was not touched follows the other member. */
export function rebase({ base, draft }: NoticeEdit, fresh: AnnouncementDetail): NoticeEdit {
  const [was, now] = [draftOf(base), draftOf(fresh)];
  const category = draft.category === was.category ? now.category : draft.category;
  const { to, users } = hasSameRecipients(draft, was) ? now : draft;
  const at = draft.at === was.at ? now.at : draft.at;
  const next = {
    ...draft,
    category,
    to,
    users,
    at,
    title: mergedTexts(was.title, draft.title, now.title),
    content: mergedTexts(was.content, draft.content, now.content),
  };
  const both = { before: base, after: fresh };
  const theirs: TheirChange[] = [];
  if (was.category !== now.category)
    theirs.push({ part: 'category', ...both, isMineToo: category !== now.category });
  if (!hasSameRecipients(was, now))
    theirs.push({ part: 'recipients', ...both, isMineToo: !hasSameRecipients(next, now) });
  if (base.publish_at !== fresh.publish_at) theirs.push({ part: 'time', ...both, isMineToo: at !== now.at });
  for (const part of ['title', 'content'] as const)
    theirs.push(...theirTexts(part, was[part], draft[part], now[part]));
  return { base: fresh, draft: next, theirs };
}

function theirTexts(part: 'title' | 'content', was: Texts, mine: Texts, now: Texts): TheirChange[] {
  return LANGUAGES.map(({ code }) => code)
    .filter((code) => textOf(was, code) !== textOf(now, code))
    .map((code) => {
      const [before, typed, after] = [textOf(was, code), textOf(mine, code), textOf(now, code)];
      return { part, code, before, after, mine: typed === before || typed === after ? null : typed };
    });
}

function mergedTexts(was: Texts, mine: Texts, now: Texts): Texts {
  const codes = LANGUAGES.map(({ code }) => code);
  const merged = codes.map((code) => [
    code,
    textOf(mine, code) === textOf(was, code) ? textOf(now, code) : (mine[code] ?? ''),
  ]);
  return Object.fromEntries(merged.filter(([, text]) => text !== ''));
}

function textOf(texts: Texts, code: LanguageCode): string {
  return (texts[code] ?? '').trim();
}

function isSame(one: Texts, other: Texts): boolean {
  return LANGUAGES.every(({ code }) => textOf(one, code) === textOf(other, code));
}
