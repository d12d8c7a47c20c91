import { expect, test } from 'vitest';
import { csvOf } from './csv';

const cells = (...row: Parameters<typeof csvOf>[0][number]) => csvOf([row]).slice(1).trimEnd();

test('rows end as in RFC 4180, after a byte order mark', () => {
  expect(
    csvOf([
      ['Plan', 'Spent'],
      ['AD-1', '12.50'],
    ]),
  ).toBe('\uFEFFPlan,Spent\r\nAD-1,12.50\r\n');
  expect(csvOf([])).toBe('\uFEFF');
});

test('only cells that need it are quoted', () => {
  expect(cells('a,b', 'say "hi"', 'two\nlines', 'plain', null)).toBe(
    '"a,b","say ""hi""","two\nlines",plain,',
  );
});

test('amounts stay plain numbers, also negative ones', () => {
  expect(cells('-67.93', 1240, '0.00', -3)).toBe('-67.93,1240,0.00,-3');
});

test.each(['=1+1', '+49151', '-2+3', '@SUM(A1)', '\tx', '  =1+1', '＝1+1', '-'])(
  'the text %j is no formula',
  (text) => {
    expect(cells(text)).toBe(`'${text}`);
  },
);

test('a formula with a quote and a comma is both quoted and disarmed', () => {
  expect(cells('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`);
});
