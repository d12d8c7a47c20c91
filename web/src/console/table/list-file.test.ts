import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { server } from '@/test/server';
import { FILE_ROWS, listFile } from './list-file';
import { PAGE_ROWS } from './use-list';

type Row = { name: string };

const COLUMNS = [
  {
    id: 'name',
    header: 'operators.title' as const,
    width: 1,
    cell: ({ name }: Row) => name,
    csv: ({ name }: Row) => name,
  },
];

/** A list of so many rows, by cursors that are positions. */
function listOf(total: number): URL[] {
  const asked: URL[] = [];
  server.use(
    http.get('*/api/admin/operator/list', ({ request }) => {
      const url = new URL(request.url);
      asked.push(url);
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const to = Math.min(total, from + Number(url.searchParams.get('limit')));
      const items = Array.from({ length: to - from }, (_, index) => ({ name: `row ${from + index}` }));
      return HttpResponse.json({
        code: 200,
        msg: '',
        data: { items, next_cursor: to < total ? String(to) : null },
      });
    }),
  );
  return asked;
}

const fileOf = (onProgress: (rows: number) => void = () => undefined) =>
  listFile({
    path: '/admin/operator/list',
    query: {},
    columns: COLUMNS,
    headers: ['Name'],
    signal: new AbortController().signal,
    onProgress,
  });

test('the file has all rows, page by page', async () => {
  const asked = listOf(PAGE_ROWS + 5);
  const progress: number[] = [];
  const { text, isWhole } = await fileOf((rows) => progress.push(rows));
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toBe('Name');
  expect(lines).toHaveLength(PAGE_ROWS + 6);
  expect(lines.at(-1)).toBe(`row ${PAGE_ROWS + 4}`);
  expect(isWhole).toBe(true);
  expect(asked).toHaveLength(2);
  expect(progress).toEqual([PAGE_ROWS, PAGE_ROWS + 5]);
});

test('a file ends at its limit, and says that there is more', async () => {
  listOf(FILE_ROWS + PAGE_ROWS);
  const { text, isWhole } = await fileOf();
  expect(text.trim().split('\r\n')).toHaveLength(FILE_ROWS + 1);
  expect(isWhole).toBe(false);
});
