import { expect, test } from 'vitest';
import { isEmailCode } from './email-code';

test('a code has eight digits, however they are typed', () => {
  for (const text of ['20671943', ' 2067 1943 ', '2067-1943', '00000000'])
    expect(isEmailCode(text)).toBe(true);
  for (const text of ['', '2067194', '206719430', '2067194a', '２０６７１９４３'])
    expect(isEmailCode(text)).toBe(false);
});
