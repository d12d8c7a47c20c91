/** The decimals of amounts in reports. */
const PLACES = 6;

/** The sum of amounts in reports, which may have fractions of a cent. */
export function fineSum(amounts: readonly string[]): string {
  const total = amounts.reduce((sum, amount) => sum + microsOf(amount), 0n);
  const digits = String(total < 0n ? -total : total).padStart(PLACES + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

function microsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(PLACES, '0').slice(0, PLACES)}`);
}
