/**
 * What was typed into a form and not yet sent, for the form to begin with when it is there again: after a login that came
 * between, and, where the browser allows it, after a reload of this tab. It belongs to one user: whoever logs in instead
 * does not find it, and a logout forgets it. It never holds a password.
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

/** Says whose drafts they are from now on: those of somebody else are gone. */
export function setDraftOwner(owner: string): void {
  if (kept.owner === owner) return;
  change({ owner, forms: kept.owner === null ? kept.forms : {} });
}

function change(next: Drafts): void {
  kept = next;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is forbidden or full: drafts live as long as the page.
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
