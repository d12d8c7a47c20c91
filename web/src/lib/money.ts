/** Money is a decimal string and never a float. Comparisons and sums use whole minor units. */
const DECIMALS = 2;
const PATTERN = /^(-?)(\d+)(?:\.(\d{1,2}))?$/;

/** The minor units of a server amount, `"-12.5"` → `-1250n`. Throws on anything else, because that is a bug. */
export function toMinor(value: string): bigint {
  const match = PATTERN.exec(value);
  if (!match) throw new RangeError(`not an amount: ${value}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const minor = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -minor : minor;
}

export function fromMinor(minor: bigint): string {
  const negative = minor < 0n;
  const digits = String(negative ? -minor : minor).padStart(DECIMALS + 1, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/**
 * A typed amount as a decimal string; null if it is invalid. Accepts comma and point where their meaning is
 * unambiguous: `12,5`, `1,250.00` and `1.250,00`, but not `1.250`.
 */
export function parseTypedAmount(typed: string): string | null {
  const text = typed.trim().replace(/[\s'’]/g, '');
  const ungrouped = /^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(text)
    ? text.replaceAll(',', '')
    : text.replace(/^\d{1,3}(\.\d{3})+(?=,\d{1,2}$)/, (groups) => groups.replaceAll('.', ''));
  const plain = ungrouped.replace(',', '.');
  if (!/^(\d{1,15}(\.\d{0,2})?|\.\d{1,2})$/.test(plain)) return null;
  return fromMinor(toMinor(plain.startsWith('.') ? `0${plain}` : plain.replace(/\.$/, '')));
}

export function add(a: string, b: string): string {
  return fromMinor(toMinor(a) + toMinor(b));
}

export function subtract(a: string, b: string): string {
  return fromMinor(toMinor(a) - toMinor(b));
}

export function sum(values: readonly string[]): string {
  return fromMinor(values.reduce((total, value) => total + toMinor(value), 0n));
}

/** Negative, zero or positive, like a sort comparator. */
export function compare(a: string, b: string): number {
  const difference = toMinor(a) - toMinor(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

export function signOf(value: string): number {
  return compare(value, '0');
}

/** A percentage of a non-negative amount, rounded down to cents like the server. `percent` has up to two decimals. */
export function percentOf(value: string, percent: string): string {
  return fromMinor((toMinor(value) * toMinor(percent)) / 10_000n);
}

export function smaller(a: string, b: string): string {
  return compare(a, b) <= 0 ? a : b;
}

/** `part` as a whole percentage of `whole`, 0 to 100. For bars only, never for amounts. */
export function shareOf(part: string, whole: string): number {
  const total = toMinor(whole);
  if (total <= 0n) return 0;
  const share = Number((toMinor(part) * 100n) / total);
  return Math.min(100, Math.max(0, share));
}
