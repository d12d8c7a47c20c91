import type { UserInfo } from '@/lib/api/types';
import { readObject, readText, write } from '@/lib/storage';
import { createStore } from '@/lib/store';

/** What is known about the visitor before any answer. */
export type SessionState = {
  token: string | null;
  /**
   * How the user entered, which decides what happens when the session ends. Stored, because the token may be dead by
   * then.
   */
  entry: UserInfo['entry'] | null;
  lang: string;
  /** Whether the user chose the language. A guess may change and is not stored. */
  langChosen: boolean;
  /** True after a logout. The next login then starts at the home page. */
  leftByUser: boolean;
  /** The user name to prefill after a password change. */
  returningUsername: string | null;
};

const TOKEN_KEY = 'adfolio.token';
const ENTRY_KEY = 'adfolio.entry';
const USER_KEY = 'adfolio.user';
const OPENED_BY_KEY = 'adfolio.opened_by';
const LANG_KEY = 'adfolio.lang';
const DEVICE_KEY = 'adfolio.device';
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

/** `openedBy` names the link that opened the session. Such a link works once, but the host app may load it again. */
export function startSession(
  token: string,
  entry: UserInfo['entry'] | null = null,
  openedBy: string | null = null,
): void {
  if (token !== sessionStore.get().token) write(USER_KEY, null);
  write(TOKEN_KEY, token);
  write(ENTRY_KEY, entry);
  write(OPENED_BY_KEY, openedBy);
  sessionStore.set((current) => ({ ...current, token, entry, leftByUser: false, returningUsername: null }));
}

/** The link that opened the current session; null if it was none. */
export function openedBy(): string | null {
  return sessionStore.get().token === null ? null : readText(OPENED_BY_KEY);
}

/** Stores the user for the next visit. */
export function rememberUser(user: UserInfo): void {
  if (sessionStore.get().token === null) return;
  write(USER_KEY, user);
  if (sessionStore.get().entry === user.entry) return;
  write(ENTRY_KEY, user.entry);
  sessionStore.set((current) => ({ ...current, entry: user.entry }));
}

/** The stored user, if it belongs to the current token. */
export function keptUser(): UserInfo | null {
  const kept = readObject(USER_KEY) as UserInfo | null;
  // A copy from an older version may lack fields.
  const whole = typeof kept?.id === 'string' && Array.isArray(kept.recharge_customer_service_url);
  return whole && sessionStore.get().token !== null ? kept : null;
}

/** The token of this device from the last login with a password. The server then tells this device from strangers. */
export function deviceToken(): string | null {
  return readText(DEVICE_KEY);
}

/** Stores the token of this device. It belongs to no session and stays after a logout. */
export function keepDeviceToken(token: string): void {
  write(DEVICE_KEY, token);
}

/** Deletes the token and its user. The language and the device's token stay. */
export function endSession(leftByUser = false, returningUsername: string | null = null): void {
  for (const key of [TOKEN_KEY, ENTRY_KEY, USER_KEY, OPENED_BY_KEY]) write(key, null);
  sessionStore.set((current) => ({ ...current, token: null, entry: null, leftByUser, returningUsername }));
}

/** Sets the interface language. Only a choice is stored. */
export function setLang(lang: string, chosen: boolean): void {
  if (chosen) write(LANG_KEY, lang);
  sessionStore.set((current) =>
    current.lang === lang && current.langChosen === chosen
      ? current
      : { ...current, lang, langChosen: chosen },
  );
}

/** Follows logins and logouts in other tabs. */
export function followOtherTabs(onTokenChange: () => void): void {
  window.addEventListener('storage', (event) => {
    if (event.key !== TOKEN_KEY && event.key !== null) return;
    const stored = readStored();
    if (stored.token === sessionStore.get().token) return;
    sessionStore.set(({ lang, langChosen }) => ({ ...stored, lang, langChosen }));
    onTokenChange();
  });
}
