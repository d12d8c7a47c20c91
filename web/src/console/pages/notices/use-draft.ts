import { useState } from 'react';
import { useStaff } from '../../session/use-staff';
import { EMPTY, type NoticeDraft } from './draft';

export type Draft = {
  value: NoticeDraft;
  change: (change: Partial<NoticeDraft>) => void;
  drop: () => void;
};

/** The announcement that is being written. It outlives the page in this tab, and belongs to one member. */
export function useDraft(): Draft {
  const { id } = useStaff();
  const key = `adfolio.console.notice.${id}`;
  const [value, setValue] = useState(() => readKept(key));
  return {
    value,
    change: (change) => {
      const next = { ...value, ...change };
      keep(key, next);
      setValue(next);
    },
    drop: () => {
      keep(key, null);
      setValue(EMPTY);
    },
  };
}

function readKept(key: string): NoticeDraft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<NoticeDraft> | null;
    return { ...EMPTY, ...kept };
  } catch {
    return EMPTY;
  }
}

function keep(key: string, draft: NoticeDraft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is blocked or full: the draft lives as long as the page.
  }
}
