import type { LanguageCode } from '@/i18n/languages';
import { LANGUAGES } from '@/i18n/languages';
import type { PostBody } from '@/lib/api/contract';
import type { components } from '@/lib/api/schema';

export const CATEGORIES = ['announcement', 'maintenance', 'activity'] as const;

/** The server's maxima, in characters. */
export const TITLE_LIMIT = 200;
export const CONTENT_LIMIT = 5_000;
/** Chosen users at most. */
export const USERS_LIMIT = 1_000;

export type Receiver = { id: string; name: string };
export type Texts = Partial<Record<LanguageCode, string>>;

export type NoticeDraft = {
  category: components['schemas']['Category'];
  to: 'all' | 'chosen';
  users: readonly Receiver[];
  title: Texts;
  content: Texts;
  when: 'now' | 'later';
  /** The value of a `datetime-local` input, in the member's time zone; '' while nothing is typed. */
  at: string;
};

export const EMPTY: NoticeDraft = {
  category: 'announcement',
  to: 'all',
  users: [],
  title: {},
  content: {},
  when: 'now',
  at: '',
};

/** The server publishes nothing later than this. */
const LATEST_MS = 365 * 24 * 3_600_000;

/** What is wrong with the time of an announcement that is published later. */
export function problemOfTime({ when, at }: NoticeDraft, now: number): 'no_time' | 'past' | 'far' | null {
  if (when === 'now') return null;
  const time = Date.parse(at);
  if (Number.isNaN(time)) return 'no_time';
  if (time <= now) return 'past';
  return time > now + LATEST_MS ? 'far' : null;
}

export type Filled = 'full' | 'half' | 'none';

/** Whether a language has title and text, one of them, or none. */
export function filledOf({ title, content }: NoticeDraft, code: LanguageCode): Filled {
  const parts = [title, content].filter((texts) => hasText(texts, code)).length;
  return parts === 2 ? 'full' : parts === 1 ? 'half' : 'none';
}

export function languagesThat(draft: NoticeDraft, filled: Filled): LanguageCode[] {
  return LANGUAGES.map(({ code }) => code).filter((code) => filledOf(draft, code) === filled);
}

/**
 * The language that a user with `code` reads. The two ways to write Chinese stand in for each other before English
 * does, as the server has it.
 */
export function shownLanguage(draft: NoticeDraft, code: LanguageCode): LanguageCode {
  const neighbour = code === 'zh' ? 'cht' : code === 'cht' ? 'zh' : 'en';
  return (
    ([code, neighbour].find((known) => filledOf(draft, known as LanguageCode) === 'full') as
      | LanguageCode
      | undefined) ?? 'en'
  );
}

export function nameOf(code: LanguageCode): string {
  return LANGUAGES.find((language) => language.code === code)?.nativeName ?? code;
}

/** What is sent. Blank texts are languages that are not written. */
export function bodyOf(draft: NoticeDraft): PostBody<'/admin/notification/create'> {
  return {
    category: draft.category,
    to: draft.to === 'all' ? 'all' : draft.users.map(({ id }) => id),
    title: writtenOf(draft.title),
    content: writtenOf(draft.content),
    ...(draft.when === 'now' ? {} : { publish_at: new Date(draft.at).toISOString() }),
  };
}

export function writtenOf(texts: Texts): Record<string, string> {
  const entries = Object.entries(texts).map(([code, text]) => [code, text.trim()]);
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}

function hasText(texts: Texts, code: LanguageCode): boolean {
  return (texts[code] ?? '').trim() !== '';
}
