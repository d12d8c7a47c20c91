import type { Page } from '@/lib/api/types';
import { type CsvValue, csvOf } from '@/lib/csv';

/** The most rows of a file, and of a page that the server sends. */
export const ROWS_MAX = 5_000;
export const PAGE_ROWS = 100;

export type CsvColumn<R> = { label: string; csv: (row: R) => CsvValue };

/** Reads page after page up to the limit. `isCut`: there would have been more. */
export async function readAll<R>(
  load: (cursor: string | null) => Promise<Page<R>>,
  limit: number = ROWS_MAX,
): Promise<{ rows: R[]; isCut: boolean }> {
  const rows: R[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<R> = await load(cursor);
    rows.push(...page.items);
    cursor = page.next_cursor ?? null;
  } while (cursor !== null && rows.length < limit);
  return { rows: rows.slice(0, limit), isCut: cursor !== null || rows.length > limit };
}

/** The rows as a file, below the names of their columns. */
export function csvTable<R>(columns: readonly CsvColumn<R>[], rows: readonly R[]): string {
  return csvOf([columns.map(({ label }) => label), ...rows.map((row) => columns.map(({ csv }) => csv(row)))]);
}

/** A moment as spreadsheets read it, in the time zone of this device. */
export function csvTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
