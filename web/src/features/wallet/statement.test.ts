import { expect, test } from 'vitest';
import statement from '@/test/statement-2026-11.csv?raw';
import newer from '@/test/statement-2026-12.csv?raw';
import { checkStatement, csvRows, hashOf, statementName, type Verdict, verifyStatement } from './statement';

const lines = statement.trimEnd().split('\n');

function verdict(text: string): Verdict {
  const check = checkStatement(text);
  let step = check.next();
  while (!step.done) step = check.next();
  return step.value;
}

function changed(line: number, change: (text: string) => string): string {
  return lines.map((text, index) => (index === line ? change(text) : text)).join('\n');
}

test('a statement of the server is right to its last hash', () => {
  const [hash, userId] = lines.at(-1)?.split(',').slice(-2) ?? [];
  const last = { userId, sequence: lines.length - 1, hash };
  expect(verdict(statement)).toEqual({ ok: true, entries: lines.length - 1, last });
});

test('line ends and a byte order mark of another system change nothing', () => {
  expect(verdict(`\uFEFF${lines.join('\r\n')}\r\n`).ok).toBe(true);
});

test('a month without transactions is right', () => {
  expect(verdict(`${lines[0]}\n`)).toEqual({ ok: true, entries: 0, last: null });
});

test('a later month begins anywhere in the chain, but not with the hash of its beginning', () => {
  expect(verdict([lines[0], ...lines.slice(3)].join('\n')).ok).toBe(true);
  const second = lines[2]?.split(',')[14] ?? '';
  const text = [lines[0], lines[2]?.replace(second, '0'.repeat(64))].join('\n');
  expect(verdict(text)).toMatchObject({ ok: false, fault: 'gap' });
});

test.each([
  ['another amount', 2, (text: string) => text.replace('1250.50,', '1250.51,'), 'hash'],
  ['another time', 3, (text: string) => text.replace(/T\d\d:/, 'T00:'), 'hash'],
  ['another balance', 2, (text: string) => text.replace('6250.50', '6250.51'), 'balance'],
  [
    'another hash',
    2,
    (text: string) => text.replace(/[0-9a-f]{64},[0-9a-f-]{36}$/, `${'ab'.repeat(32)},x`),
    'other_wallet',
  ],
  ['a broken amount', 2, (text: string) => text.replace('1250.50,', 'much,'), 'unreadable'],
  ['a cut line', 2, (text: string) => text.slice(0, 60), 'unreadable'],
] as const)('%s is found at its row', (_name, line, change, fault) => {
  expect(verdict(changed(line, change))).toMatchObject({ ok: false, fault, row: line + 1 });
});

test('a statement may have rows of both versions', () => {
  expect(verdict(newer)).toMatchObject({ ok: true, entries: 4 });
});

test.each([
  ['another remark', "'=1+1", "'=1+2", '2'],
  ['no remark', "'=1+1", '', '2'],
  ['a remark where there is none', '000000000007,,', '000000000007,paid,', '3'],
  ['another reference', 'a000-000000000007', 'a000-000000000008', '3'],
  ['another guarantee', ',400.00,', ',500.00,', '2'],
  ['a guarantee in a row of the first version', ',0.00,,', ',1.00,,', '1'],
  ['no details', /,400\.00,[0-9a-f]{64}/, ',400.00,', '2'],
] as const)('%s is found, too', (_name, from, to, sequence) => {
  const other = newer.replace(from, to);
  expect(other).not.toBe(newer);
  expect(verdict(other)).toMatchObject({ ok: false, sequence });
});

test('a row that was taken out, moved or put in twice leaves a gap', () => {
  const without = lines.filter((_, index) => index !== 2).join('\n');
  expect(verdict(without)).toEqual({ ok: false, fault: 'gap', row: 3, sequence: '3' });
  const twice = lines.flatMap((line, index) => (index === 2 ? [line, line] : [line])).join('\n');
  expect(verdict(twice)).toMatchObject({ fault: 'gap', row: 4, sequence: '2' });
});

test('any other file is no statement', () => {
  expect(verdict('')).toMatchObject({ ok: false, fault: 'not_a_statement' });
  expect(verdict('name,amount\nAda,5')).toMatchObject({ ok: false, fault: 'not_a_statement', row: 1 });
});

test('quotes hold commas, quotes and line breaks', () => {
  expect([...csvRows('a,"b, ""c""\nd"\r\n,')]).toEqual([
    ['a', 'b, "c"\nd'],
    ['', ''],
  ]);
});

test('a long file is checked in slices', async () => {
  const progress: number[] = [];
  // The check stops at the first fault, so a long one needs valid rows that continue each other.
  const many = [lines[0], ...chain(1200)].join('\n');
  expect(await verifyStatement(many, (entries) => progress.push(entries))).toMatchObject({
    ok: true,
    entries: 1200,
  });
  expect(progress).toEqual([500, 1000]);
});

test('a statement is saved under its month', () => {
  expect(statementName('2026-11')).toBe('adfolio-statement-2026-11.csv');
});

/** Rows of a valid chain, built by the published rule. */
function chain(count: number): string[] {
  let previous = '0'.repeat(64);
  return Array.from({ length: count }, (_, index) => {
    const row = {
      sequence: String(index + 1),
      time: '2026-11-01T00:00:00Z',
      transaction_id: `t-${index}`,
      type: 'deposit',
      available_change: '1.00',
      to_be_consumed_change: '0.00',
      to_be_settled_change: '0.00',
      withdrawing_change: '0.00',
      available: `${index + 1}.00`,
      to_be_consumed: '0.00',
      to_be_settled: '0.00',
      withdrawing: '0.00',
      reference: '',
      remark: '',
      previous_hash: previous,
      user_id: 'user-1',
    };
    previous = hashOf(row);
    const { user_id, ...rest } = row;
    return [...Object.values(rest), previous, user_id].join(',');
  });
}
