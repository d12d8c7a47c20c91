import type { GetQuery } from '@/lib/api/contract';
import { csvOf } from '@/lib/csv';
import type { Column, ListPath, RowOf } from './list';
import { fetchPage } from './use-list';

/** More rows than this would be a file that no spreadsheet opens well. */
export const FILE_ROWS = 50_000;

type Options<P extends ListPath> = {
  path: P;
  query: GetQuery<P>;
  columns: readonly Column<RowOf<P>>[];
  headers: readonly string[];
  signal: AbortSignal;
  onProgress: (rows: number) => void;
};

/** All rows of a list that match its filters as CSV, up to a limit, page by page. */
export async function listFile<P extends ListPath>(
  options: Options<P>,
): Promise<{ text: string; isWhole: boolean }> {
  const { path, query, columns, headers, signal, onProgress } = options;
  const rows: RowOf<P>[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: RowOf<P>[]; next: string | null } = await fetchPage(path, query, cursor, signal);
    rows.push(...page.items);
    cursor = page.next;
    onProgress(rows.length);
  } while (cursor !== null && rows.length < FILE_ROWS);
  const lines = rows.map((row) => columns.map(({ csv }) => csv(row)));
  return { text: csvOf([headers, ...lines]), isWhole: cursor === null };
}
