import { sum } from '@/lib/money';
import { fetchPage } from '../../table/use-list';
import { MOST_LINES } from './credit-run';
import type { BankLine } from './line-state';

/** What one run over a statement would credit, and which open lines it leaves to a person. */
export type Creditable = {
  lines: readonly BankLine[];
  total: string;
  /** Open lines whose payer nobody knows. */
  unmatched: number;
  /** Open lines that may be the same payment as one of another file. */
  similar: number;
  /** Whether there are more lines than one run takes. */
  isMore: boolean;
};

/** Reads the open lines of a statement. */
export async function readCreditable(statement: string, signal: AbortSignal): Promise<Creditable> {
  const open: BankLine[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: BankLine[]; next: string | null } = await fetchPage(
      '/admin/bank/lines',
      { statement_id: statement, state: 'open' },
      cursor,
      signal,
    );
    open.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && open.filter(isCreditable).length <= MOST_LINES);
  return creditableOf(open);
}

export function creditableOf(open: readonly BankLine[]): Creditable {
  const all = open.filter(isCreditable);
  const lines = all.slice(0, MOST_LINES);
  return {
    lines,
    total: sum(lines.map(({ amount }) => amount)),
    unmatched: open.filter((line) => line.matched_user === null).length,
    similar: open.filter((line) => line.matched_user !== null && line.similar).length,
    isMore: all.length > lines.length,
  };
}

function isCreditable(line: BankLine): boolean {
  return line.state === 'open' && line.matched_user !== null && !line.similar;
}
