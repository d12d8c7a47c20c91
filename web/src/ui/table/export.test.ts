import { expect, test } from 'vitest';
import { csvTable, csvTime, readAll } from './export';

const pages = (count: number, size: number) => (cursor: string | null) => {
  const place = Number(cursor ?? 0);
  const items = Array.from({ length: size }, (_, index) => place * size + index);
  return Promise.resolve({ items, next_cursor: place + 1 < count ? String(place + 1) : null });
};

test('all pages are read, up to the limit', async () => {
  expect(await readAll(pages(3, 2))).toEqual({ rows: [0, 1, 2, 3, 4, 5], isCut: false });
  expect(await readAll(pages(3, 2), 4)).toEqual({ rows: [0, 1, 2, 3], isCut: true });
  expect(await readAll(pages(3, 2), 3)).toEqual({ rows: [0, 1, 2], isCut: true });
  expect(await readAll(pages(3, 2), 6)).toEqual({ rows: [0, 1, 2, 3, 4, 5], isCut: false });
});

test('a failure on the way gives no half of a file', async () => {
  const failing = (cursor: string | null) => (cursor ? Promise.reject(new Error('429')) : pages(2, 1)(null));
  await expect(readAll(failing)).rejects.toThrow('429');
});

test('a file has the names of its columns, and times that a spreadsheet reads', () => {
  const columns = [
    { label: 'Name', csv: (row: { name: string; time: string }) => row.name },
    { label: 'Time', csv: (row: { name: string; time: string }) => csvTime(row.time) },
  ];
  const rows = [{ name: '=cmd', time: '2026-03-01T09:05:07.000Z' }];
  expect(csvTable(columns, rows)).toBe("\uFEFFName,Time\r\n'=cmd,2026-03-01 09:05:07\r\n");
});
