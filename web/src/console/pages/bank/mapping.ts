import type { components } from '@/lib/api/schema';
import { readObject, write } from '@/lib/storage';

type BankUpload = components['schemas']['BankUpload'];

/** What a column of a CSV file has. */
export const FIELDS = [
  'date',
  'amount',
  'currency',
  'text',
  'party',
  'bank_reference',
  'end_to_end_id',
  'balance',
  'account',
] as const;
export type Field = (typeof FIELDS)[number];

/** Those that every file has. */
export const NEEDED: readonly Field[] = ['date', 'amount', 'currency', 'text'];

/** The column of each field; '' for none. */
export type Mapping = Readonly<Record<Field, string>>;

const KEY = 'adfolio.console.bank_mappings';

/** Sets of columns that are remembered. A platform has few banks. */
const KEPT = 20;

/** The header line is the first. */
const HEADER_LINE = 1;

/** The fields whose columns a file lacks under the fields' own names. */
export function lackingColumns({ columns, faults }: Pick<BankUpload, 'columns' | 'faults'>): Field[] {
  if (columns.length === 0) return [];
  return NEEDED.filter((field) =>
    faults.some(
      (fault) => fault.line === HEADER_LINE && fault.field === field && fault.problem === 'missing',
    ),
  );
}

/** How a file with these columns was mapped last, and a guess by names else. */
export function firstMapping(columns: readonly string[]): Mapping {
  const kept = readKept().find(({ key }) => key === keyOf(columns));
  if (kept === undefined) return guess(columns);
  const { mapping } = kept;
  return mapFields((field) => (columns.includes(mapping[field] ?? '') ? (mapping[field] ?? '') : ''));
}

/** Whether a file with these columns was mapped before. */
export function isKnown(columns: readonly string[]): boolean {
  return readKept().some(({ key }) => key === keyOf(columns));
}

/** Remembers a mapping, the newest first. */
export function keepMapping(columns: readonly string[], mapping: Mapping): void {
  const key = keyOf(columns);
  const others = readKept().filter((kept) => kept.key !== key);
  write(KEY, [{ key, mapping }, ...others].slice(0, KEPT));
}

/** Fields that take the same column as one before. */
export function usedTwice(mapping: Mapping): Field[] {
  const names = FIELDS.map((field) => mapping[field]);
  return FIELDS.filter((field, index) => mapping[field] !== '' && names.indexOf(mapping[field]) !== index);
}

/** The `mapping` of the call: columns to fields. */
export function mappingJson(mapping: Mapping): string {
  const mapped = FIELDS.filter((field) => mapping[field] !== '').map((field) => [mapping[field], field]);
  return JSON.stringify(Object.fromEntries(mapped));
}

type Kept = { key: string; mapping: Partial<Record<Field, string>> };

/** Another release may have written it. */
function readKept(): Kept[] {
  const kept = readObject(KEY);
  if (!Array.isArray(kept)) return [];
  return kept.filter(
    (one): one is Kept =>
      typeof one?.key === 'string' && typeof one?.mapping === 'object' && one.mapping !== null,
  );
}

/** The set of columns: a bank that orders them anew means the same. */
function keyOf(columns: readonly string[]): string {
  return JSON.stringify([...new Set(columns)].sort());
}

/** What banks call the fields, in lower case and without everything but letters. */
const NAMES: Record<Field, readonly string[]> = {
  date: ['date', 'bookingdate', 'bookedon', 'postingdate', 'transactiondate', 'buchungstag', 'buchungsdatum'],
  amount: ['amount', 'sum', 'value', 'betrag', 'umsatz'],
  currency: ['currency', 'ccy', 'währung', 'waehrung'],
  text: ['text', 'description', 'remittanceinformation', 'details', 'purpose', 'memo', 'verwendungszweck'],
  party: ['party', 'counterparty', 'name', 'payer', 'sender', 'beguenstigterzahlungspflichtiger'],
  bank_reference: ['bankreference', 'reference', 'transactionid', 'entryreference', 'bankreferenz'],
  end_to_end_id: ['endtoendid', 'endtoendreference', 'endtoend', 'kundenreferenzendtoend'],
  balance: ['balance', 'balanceafter', 'runningbalance', 'saldo'],
  account: ['account', 'accountnumber', 'iban', 'ouraccount', 'auftragskonto'],
};

function guess(columns: readonly string[]): Mapping {
  const free = new Set(columns.filter((name) => name !== ''));
  return mapFields((field) => {
    for (const name of NAMES[field]) {
      const found = [...free].find((known) => known.toLowerCase().replace(/[^\p{L}]/gu, '') === name);
      if (found === undefined) continue;
      free.delete(found);
      return found;
    }
    return '';
  });
}

function mapFields(columnOf: (field: Field) => string): Mapping {
  return Object.fromEntries(FIELDS.map((field) => [field, columnOf(field)])) as Record<Field, string>;
}
