/**
 * What was typed into a form whose page was left for a login, until the page is there again. It is kept in memory only,
 * for its owner only, and never holds a password.
 */
type Values = Record<string, string>;

const drafts = new Map<string, Values>();
let owner: string | null = null;

const SECRET = /pass|pin|code|license/i;

export function holdDraft(form: string, values: Values): void {
  const kept = Object.entries(values).filter(([name, value]) => value !== '' && !SECRET.test(name));
  if (kept.length > 0) drafts.set(form, Object.fromEntries(kept));
}

export function draftOf(form: string): Values {
  return drafts.get(form) ?? {};
}

export function dropDraft(form: string): void {
  drafts.delete(form);
}

export function dropDrafts(): void {
  drafts.clear();
}

/** Says whose drafts they are from now on: those of somebody else are gone. */
export function setDraftOwner(userId: string): void {
  if (owner !== null && owner !== userId) drafts.clear();
  owner = userId;
}
