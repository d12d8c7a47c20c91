import type { UserInfo } from '@/lib/api/types';
import { createStore, useStore } from '@/lib/store';

/** What is known of the visitor before any answer of the server. */
export type SessionState = {
  token: string | null;
  /** How the user came in; decides what an ended session does. Kept because the token may already be dead then. */
  entry: UserInfo['entry'] | null;
  lang: string;
  /** True after a logout: the next login then starts afresh instead of going back to where the user was. */
  leftByUser: boolean;
};

const TOKEN_KEY = 'adfolio.token';
const ENTRY_KEY = 'adfolio.entry';
const LANG_KEY = 'adfolio.lang';
export const DEFAULT_LANG = 'en';

export const sessionStore = createStore<SessionState>(readStored());

function readStored(): SessionState {
  const entry = read(ENTRY_KEY);
  return {
    token: read(TOKEN_KEY),
    entry: entry === 'register' || entry === 'host' ? entry : null,
    lang: read(LANG_KEY) ?? DEFAULT_LANG,
    leftByUser: false,
  };
}

export function startSession(token: string, entry: UserInfo['entry'] | null = null): void {
  write(TOKEN_KEY, token);
  write(ENTRY_KEY, entry);
  sessionStore.set((current) => ({ ...current, token, entry, leftByUser: false }));
}

export function rememberEntry(entry: UserInfo['entry']): void {
  if (sessionStore.get().entry === entry) return;
  write(ENTRY_KEY, entry);
  sessionStore.set((current) => ({ ...current, entry }));
}

/** Forgets the token and who it belonged to; the language stays. */
export function endSession(leftByUser = false): void {
  write(TOKEN_KEY, null);
  write(ENTRY_KEY, null);
  sessionStore.set((current) => ({ ...current, token: null, entry: null, leftByUser }));
}

export function storeLang(lang: string): void {
  write(LANG_KEY, lang);
  sessionStore.set((current) => (current.lang === lang ? current : { ...current, lang }));
}

/** Follows a login or logout made in another tab of the same browser. */
export function followOtherTabs(onTokenChange: () => void): void {
  window.addEventListener('storage', (event) => {
    if (event.key !== TOKEN_KEY && event.key !== null) return;
    const stored = readStored();
    if (stored.token === sessionStore.get().token) return;
    sessionStore.set((current) => ({ ...stored, lang: current.lang }));
    onTokenChange();
  });
}

export function useSession(): SessionState {
  return useStore(sessionStore);
}

// Storage throws where the browser forbids it; the session then lives as long as the page.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Kept in memory only.
  }
}
