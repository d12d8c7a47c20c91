import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { toMinor } from '@/lib/money';

const ACCOUNTS = ['available', 'to_be_consumed', 'to_be_settled', 'withdrawing'] as const;

/** The required columns. Others may appear among them. */
const COLUMNS = [
  'sequence',
  'time',
  'transaction_id',
  'type',
  ...ACCOUNTS.map((account) => `${account}_change` as const),
  ...ACCOUNTS,
  'previous_hash',
  'hash',
  'user_id',
] as const;

/** The columns that older statements lack. Without details, a row is of version 1 of the chain. */
const NEWER_COLUMNS = ['guarantee_change', 'details', 'undisclosed', 'reference', 'remark'] as const;

type Row = Record<(typeof COLUMNS)[number], string> & Partial<Record<(typeof NEWER_COLUMNS)[number], string>>;

/** Why a row does not follow from the previous one. */
export type Fault = 'not_a_statement' | 'unreadable' | 'gap' | 'other_wallet' | 'hash' | 'balance';

/** The end of a stretch of a wallet's chain. */
export type ChainEnd = { userId: string; sequence: number; hash: string };

export type Verdict =
  | { ok: true; entries: number; last: ChainEnd | null }
  | { ok: false; fault: Fault; row: number; sequence: string | null };

/** The number of rows per slice. */
const ROWS_AT_ONCE = 500;

const FIRST_HASH = '0'.repeat(64);

/** The rows of a CSV file. Quoted fields may contain commas, quotes and line breaks. */
export function* csvRows(text: string): Generator<string[]> {
  let row: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      row.push(field);
      field = '';
    } else if (char === '\n') {
      row.push(field.replace(/\r$/, ''));
      yield row;
      row = [];
      field = '';
    } else field += char;
  }
  if (field !== '' || row.length > 0) yield [...row, field];
}

/** The chain's hash at a row, over the previous hash and the row's content. */
export function hashOf(row: Omit<Row, 'hash'>): string {
  const changes = ACCOUNTS.map((account) => String(toMinor(row[`${account}_change`])));
  const text = [
    row.details ? 'adfolio-chain-2' : 'adfolio-chain-1',
    row.user_id,
    row.sequence,
    row.time,
    row.transaction_id,
    row.type,
    ...changes,
    ...(row.details ? [String(toMinor(row.guarantee_change ?? '')), row.details] : []),
  ];
  const bytes = utf8ToBytes(text.join('|'));
  const previous = hexToBytes(row.previous_hash);
  const joined = new Uint8Array(previous.length + bytes.length);
  joined.set(previous);
  joined.set(bytes, previous.length);
  return bytesToHex(sha256(joined));
}

/** Whether a row's details cover the reference and the remark that it shows. Version 1 covers neither. */
function isDetailed(row: Row): boolean {
  if (!row.details) return true;
  const remark = row.remark ?? '';
  const detailsOf = (text: string) =>
    textHash(
      ['adfolio-details-1', row.reference || '-', text ? textHash(text) : '-', row.undisclosed].join('|'),
    );
  // Statements put an apostrophe before what a spreadsheet would run as a formula.
  return [remark, remark.replace(/^'/, '')].some((text) => detailsOf(text) === row.details);
}

function textHash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/**
 * Recomputes a statement's hash chain and running balances and returns the first fault. Yields the number of checked
 * rows after each slice, so that a long file does not freeze the page.
 */
export function* checkStatement(text: string): Generator<number, Verdict> {
  const rows = csvRows(text);
  const header: string[] = rows.next().value ?? [];
  if (COLUMNS.some((column) => !header.includes(column))) {
    return { ok: false, fault: 'not_a_statement', row: 1, sequence: null };
  }
  let before: Row | null = null;
  let entries = 0;
  for (const cells of rows) {
    if (cells.length === 1 && cells[0] === '') continue;
    entries += 1;
    const row = Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])) as Row;
    const fault = cells.length === header.length ? faultOf(row, before) : 'unreadable';
    // The header is row 1.
    if (fault) return { ok: false, fault, row: entries + 1, sequence: row.sequence || null };
    before = row;
    if (entries % ROWS_AT_ONCE === 0) yield entries;
  }
  const last = before && {
    userId: before.user_id,
    sequence: Number(before.sequence),
    hash: before.hash,
  };
  return { ok: true, entries, last };
}

/** Runs the check in slices, between which the page stays responsive. */
export async function verifyStatement(
  text: string,
  onProgress?: (entries: number) => void,
): Promise<Verdict> {
  const check = checkStatement(text);
  for (;;) {
    const step = check.next();
    if (step.done) return step.value;
    onProgress?.(step.value);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function faultOf(row: Row, before: Row | null): Fault | null {
  if (!isReadable(row)) return 'unreadable';
  if (before && row.user_id !== before.user_id) return 'other_wallet';
  const place = Number(row.sequence);
  const follows = before
    ? place === Number(before.sequence) + 1 && row.previous_hash === before.hash
    : (place === 1) === (row.previous_hash === FIRST_HASH);
  if (!follows) return 'gap';
  if (hashOf(row) !== row.hash || !isDetailed(row)) return 'hash';
  return addsUp(row, before) ? null : 'balance';
}

const AMOUNT = /^-?\d{1,18}\.\d\d$/;
const HASH = /^[0-9a-f]{64}$/;

function isReadable(row: Row): boolean {
  const amounts = ACCOUNTS.every(
    (account) => AMOUNT.test(row[account]) && AMOUNT.test(row[`${account}_change`]),
  );
  return (
    amounts &&
    isGuaranteeReadable(row) &&
    /^\d{1,15}$/.test(row.sequence) &&
    HASH.test(row.hash) &&
    HASH.test(row.previous_hash)
  );
}

/** Version 1 covers no guarantee, so it must not show any. */
function isGuaranteeReadable({ details, guarantee_change: change }: Row): boolean {
  return details ? AMOUNT.test(change ?? '') : !change || change === '0.00';
}

/** The chain covers only the changes. The balances must follow from them, or they could be altered. */
function addsUp(row: Row, before: Row | null): boolean {
  if (!before && row.sequence !== '1') return true;
  return ACCOUNTS.every((account) => {
    const start = before ? toMinor(before[account]) : 0n;
    return start + toMinor(row[`${account}_change`]) === toMinor(row[account]);
  });
}

/** The file name of a month's statement. */
export function statementName(month: string): string {
  return `adfolio-statement-${month}.csv`;
}

export function documentName(month: string): string {
  return `adfolio-statement-${month}.pdf`;
}
