/*
 * Transaction passwords that anyone would try first. The same list as the server's, which decides: see
 * `services/wallet/src/pay_password/weak.rs`.
 */

/** Years that people were born in, before or after a month. */
const YEARS = { first: 1940, last: 2029 };

/** Rows of keys, counting, and what else is known from leaks. */
const KNOWN = new Set(
  (
    '000001 000007 001001 010203 100000 100001 102030 110110 110120 112358 121314 123000 123465 123654 124578 ' +
    '131415 135246 135790 135791 142536 142857 145236 147258 147369 147852 147896 159357 159753 159951 168168 ' +
    '200000 258369 258456 314159 321654 357159 369258 456852 520131 520520 741852 789456 852456 963852'
  ).split(' '),
);

/** abcabc, abccba, aabbcc, ababab, aaabbb, aaaabc and bcaaaa. */
const PATTERN =
  /^(?:(\d{3})\1|(\d)(\d)(\d)\4\3\2|(\d)\5(\d)\6(\d)\7|(\d\d)\8\8|(\d)\9\9(\d)\10\10|(\d)\11{3}\d\d|\d\d(\d)\12{3})$/;

/** Whether six digits are too easy to guess. */
export function isWeakPayPassword(digits: string): boolean {
  return KNOWN.has(digits) || PATTERN.test(digits) || isCount(digits) || isMonth(digits);
}

/** 123456, 890123 and the like, both ways. */
function isCount(digits: string): boolean {
  const steps = [...digits].slice(1).map((digit, index) => (Number(digit) - Number(digits[index]) + 10) % 10);
  return steps.every((step) => step === 1) || steps.every((step) => step === 9);
}

/** A year with its month, in either order. */
function isMonth(digits: string): boolean {
  const isYear = (text: string) => Number(text) >= YEARS.first && Number(text) <= YEARS.last;
  const isMonthOfYear = (text: string) => Number(text) >= 1 && Number(text) <= 12;
  return (
    (isYear(digits.slice(0, 4)) && isMonthOfYear(digits.slice(4))) ||
    (isYear(digits.slice(2)) && isMonthOfYear(digits.slice(0, 2)))
  );
}
