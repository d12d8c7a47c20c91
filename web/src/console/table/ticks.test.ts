import { expect, test } from 'vitest';
import { tickable, tickedOf, tickStateOf } from './ticks';

type Row = { id: string; kind: string; open: boolean };

const RULES = {
  may: ({ open }: Row) => open,
  goTogether: (row: Row, first: Row) => row.kind === first.kind,
  most: 2,
};
const card = (id: string, open = true): Row => ({ id, kind: 'card', open });
const [a, b, c] = [card('a'), card('b'), card('c')];
const address: Row = { id: 'x', kind: 'address', open: true };
const decided = card('d', false);
const rows = [a, address, decided, b, c];
const idOf = ({ id }: Row) => id;

test('what was decided or is no longer listed is not ticked', () => {
  expect(tickedOf(rows, idOf, new Set(['a', 'd', 'gone']), RULES)).toEqual([a]);
});

test('only rows of the kind of the first go with it, up to the most', () => {
  expect(tickStateOf(decided, [], RULES)).toBeNull();
  expect(tickStateOf(address, [], RULES)).toBe('off');
  expect(tickStateOf(address, [a], RULES)).toBe('shut');
  expect(tickStateOf(b, [a], RULES)).toBe('off');
  expect(tickStateOf(c, [a, b], RULES)).toBe('shut');
  expect(tickStateOf(b, [a, b], RULES)).toBe('on');
});

test('one tick for all takes the kind of what is ticked, or of the first row', () => {
  expect(tickable(rows, [], RULES)).toEqual([a, b]);
  expect(tickable(rows, [address], RULES)).toEqual([address]);
  expect(tickable([decided], [], RULES)).toEqual([]);
});
