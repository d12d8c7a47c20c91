import { sessionStore } from '@/lib/session/store';

const PREFIX = 'adfolio.draft.';

/**
 * What was written and not yet sent, kept in this tab also over a reload and a sheet that another covers, which the
 * drafts of `useForm` are not. It belongs to one user: whoever logs in instead does not find it, and a logout forgets it.
 */
export function readDraft<T extends object>(name: string, owner: string): Partial<T> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null');
    return isDraft<T>(stored) && stored.owner === owner ? stored.values : {};
  } catch {
    return {};
  }
}

export function writeDraft(name: string, owner: string, values: object): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify({ owner, values }));
  } catch {
    // Storage is forbidden or full: the text lives as long as the page.
  }
}

export function dropDraft(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept.
  }
}

sessionStore.subscribe(() => {
  const { token, leftByUser } = sessionStore.get();
  if (token !== null || !leftByUser) return;
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
    }
  } catch {
    // Nothing was kept.
  }
});

function isDraft<T>(value: unknown): value is { owner: string; values: Partial<T> } {
  return typeof value === 'object' && value !== null && 'owner' in value && 'values' in value;
}
