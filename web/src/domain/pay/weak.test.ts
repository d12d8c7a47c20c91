import { expect, test } from 'vitest';
import { isWeakPayPassword } from './weak';

// The examples of the server's tests.
test.each(
  (
    '000000 999999 123456 654321 987654 012345 678901 098765 121212 123123 112233 123321 111222 159753 147258 ' +
    '199001 121990 888812 520520'
  ).split(' '),
)('what anyone tries first is refused: %s', (digits) => {
  expect(isWeakPayPassword(digits)).toBe(true);
});

test.each(['246810', '583920', '907163', '481516', '730194'])('most are accepted: %s', (digits) => {
  expect(isWeakPayPassword(digits)).toBe(false);
});

test('as many are refused as by the server', () => {
  const all = Array.from({ length: 1_000_000 }, (_, number) => String(number).padStart(6, '0'));
  expect(all.filter(isWeakPayPassword)).toHaveLength(6986);
});
