import type { UserInfo } from '@/lib/api/types';
import { readObject, readText, write } from '@/lib/storage';
import { createStore } from '@/lib/store';

/** What is known of the visitor before any answer of the server. */
export type SessionState = {
  token: string | null;
  /** How the user came in; decides what an ended session does. Kept because the token may already be dead then. */
  entry: UserInfo['entry'] | null;
  lang: string;
  /** Whether somebody chose the language; else it is a guess, which may still change. Only a choice is stored. */
  langChosen: boolean;
  /** True after a logout: the next login then starts afresh instead of going back to where the user was. */
  leftByUser: boolean;
  /** Who has to log in again after a change of the password; the login offers the name. */
  returningUsername: string | null;
};

const TOKEN_KEY = 'adfolio.token';
const ENTRY_KEY = 'adfolio.entry';
const USER_KEY = 'adfolio.user';
const LANG_KEY = 'adfolio.lang';
export const DEFAULT_LANG = 'en';

export const sessionStore = createStore<SessionState>(readStored());

function readStored(): SessionState {
  const entry = readText(ENTRY_KEY);
  const lang = readText(LANG_KEY);
  return {
    token: readText(TOKEN_KEY),
    entry: entry === 'register' || entry === 'host' ? entry : null,
    lang: lang ?? DEFAULT_LANG,
    langChosen: lang !== null,
    leftByUser: false,
    returningUsername: null,
  };
}

export function startSession(token: string, entry: UserInfo['entry'] | null = null): void {
  if (token !== sessionStore.get().token) write(USER_KEY, null);
  write(TOKEN_KEY, token);
  write(ENTRY_KEY, entry);
  sessionStore.set((current) => ({ ...current, token, entry, leftByUser: false, returningUsername: null }));
}

/** Keeps what the server said of the user, for the next visit to begin with. */
export function rememberUser(user: UserInfo): void {
  if (sessionStore.get().token === null) return;
  write(USER_KEY, user);
  if (sessionStore.get().entry === user.entry) return;
  write(ENTRY_KEY, user.entry);
  sessionStore.set((current) => ({ ...current, entry: user.entry }));
}

/** The user as he was known last; only ever the one whom the token belongs to. */
export function keptUser(): UserInfo | null {
  const kept = readObject(USER_KEY) as UserInfo | null;
  // A copy of an older version may lack what is read of it.
  const whole = typeof kept?.id === 'string' && Array.isArray(kept.recharge_customer_service_url);
  return whole && sessionStore.get().token !== null ? kept : null;
}

/** Forgets the token and who it belonged to; the language stays. */
export function endSession(leftByUser = false, returningUsername: string | null = null): void {
  for (const key of [TOKEN_KEY, ENTRY_KEY, USER_KEY]) write(key, null);
  sessionStore.set((current) => ({ ...current, token: null, entry: null, leftByUser, returningUsername }));
}

/** Sets the language of the interface; a guess does not outlive the page. */
export function setLang(lang: string, chosen: boolean): void {
  if (chosen) write(LANG_KEY, lang);
  sessionStore.set((current) =>
    current.lang === lang && current.langChosen === chosen
      ? current
      : { ...current, lang, langChosen: chosen },
  );
}

/** Follows a login or logout made in another tab of the same browser. */
export function followOtherTabs(onTokenChange: () => void): void {
  window.addEventListener('storage', (event) => {
    if (event.key !== TOKEN_KEY && event.key !== null) return;
    const stored = readStored();
    if (stored.token === sessionStore.get().token) return;
    sessionStore.set(({ lang, langChosen }) => ({ ...stored, lang, langChosen }));
    onTokenChange();
  });
}
