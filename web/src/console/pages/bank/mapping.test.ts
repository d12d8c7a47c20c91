import { beforeEach, expect, test } from 'vitest';
import {
  firstMapping,
  isKnown,
  keepMapping,
  lackingColumns,
  type Mapping,
  mappingJson,
  usedTwice,
} from './mapping';

beforeEach(() => localStorage.clear());

const COLUMNS = ['Buchungstag', 'Betrag', 'Währung', 'Verwendungszweck', 'Zusatz'];
const NOTHING: Mapping = {
  date: '',
  amount: '',
  currency: '',
  text: '',
  party: '',
  bank_reference: '',
  end_to_end_id: '',
  balance: '',
  account: '',
};

test('a header without the needed fields asks for columns; a fault of a row does not', () => {
  const missing = (line: number, field: string) => ({ line, field, problem: 'missing' as const, value: '' });
  const faults = [missing(1, 'date'), missing(1, 'text')];
  expect(lackingColumns({ columns: ['a'], faults })).toEqual(['date', 'text']);
  expect(lackingColumns({ columns: ['a'], faults: [missing(2, 'date')] })).toEqual([]);
  expect(lackingColumns({ columns: [], faults })).toEqual([]);
});

test('columns are guessed by the names that banks use', () => {
  const mapping = firstMapping(COLUMNS);
  expect(mapping).toEqual({
    ...NOTHING,
    date: 'Buchungstag',
    amount: 'Betrag',
    currency: 'Währung',
    text: 'Verwendungszweck',
  });
  expect(mappingJson(mapping)).toBe(
    '{"Buchungstag":"date","Betrag":"amount","Währung":"currency","Verwendungszweck":"text"}',
  );
});

test('a mapping is remembered by the set of columns, in whatever order, and for no other set', () => {
  const chosen = { ...firstMapping(COLUMNS), text: 'Zusatz' };
  expect(isKnown(COLUMNS)).toBe(false);
  keepMapping(COLUMNS, chosen);
  expect(firstMapping([...COLUMNS].reverse())).toEqual(chosen);
  expect(isKnown([...COLUMNS].reverse())).toBe(true);
  expect(firstMapping([...COLUMNS, 'Saldo']).text).toBe('Verwendungszweck');
  keepMapping(COLUMNS, { ...chosen, text: 'Verwendungszweck' });
  expect(firstMapping(COLUMNS).text).toBe('Verwendungszweck');
});

test('what another release has kept does no harm', () => {
  localStorage.setItem('adfolio.console.bank_mappings', '[{"key":1},null,{"key":"[]","mapping":null}]');
  expect(firstMapping(['date']).date).toBe('date');
  localStorage.setItem('adfolio.console.bank_mappings', '{"a":1}');
  expect(firstMapping(['date']).date).toBe('date');
});

test('a column is one field', () => {
  expect(usedTwice({ ...NOTHING, date: 'a', amount: 'b', text: 'a' })).toEqual(['text']);
});
