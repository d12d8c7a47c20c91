/**
 * Drafts of forms. They survive a login in between and, if the browser allows it, a reload of the tab. A draft belongs
 * to one user: another user does not see it, and a logout deletes it. Drafts never contain passwords.
 */
type Drafts = { owner: string | null; forms: Record<string, object> };

const KEY = 'adfolio.drafts';
const SECRET = /pass|pin|code|license/i;

let kept: Drafts = readStored();

export function keepDraft(form: string, values: object): void {
  const open = Object.entries(values).filter(([name]) => !SECRET.test(name));
  if (open.every(([, value]) => value === '')) dropDraft(form);
  else change({ ...kept, forms: { ...kept.forms, [form]: Object.fromEntries(open) } });
}

export function draftOf<T extends object>(form: string): Partial<T> {
  return kept.forms[form] ?? {};
}

export function dropDraft(form: string): void {
  if (!(form in kept.forms)) return;
  const { [form]: _dropped, ...forms } = kept.forms;
  change({ ...kept, forms });
}

export function dropDrafts(): void {
  change({ ...kept, forms: {} });
}

/** Sets the owner of the drafts and deletes another owner's. */
export function setDraftOwner(owner: string): void {
  if (kept.owner === owner) return;
  change({ owner, forms: kept.owner === null ? kept.forms : {} });
}

function change(next: Drafts): void {
  kept = next;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is blocked or full: drafts live as long as the page.
  }
}

function readStored(): Drafts {
  const none: Drafts = { owner: null, forms: {} };
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Drafts | null;
    return typeof stored?.forms === 'object' ? stored : none;
  } catch {
    return none;
  }
}
