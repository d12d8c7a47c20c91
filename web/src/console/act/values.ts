import { z } from 'zod';
import { parseTypedAmount, signOf } from '@/lib/money';

/** Checks of what is typed into an act. The messages are keys of the texts of `act`; a limit follows a colon. */

export function text(limit: number) {
  return z.string().trim().min(1, 'required').max(limit, `too_long:${limit}`);
}

export function optionalText(limit: number) {
  return z.string().trim().max(limit, `too_long:${limit}`);
}

/** An amount above 0 as somebody types it; `amountOf` gives what is sent. */
export function amount() {
  return z.string().refine((typed) => isPositive(parseTypedAmount(typed)), 'amount_wrong');
}

/** An amount of 0 or more. */
export function amountOrZero() {
  return z.string().refine((typed) => parseTypedAmount(typed) !== null, 'amount_wrong');
}

/** A whole number within bounds, as text. */
export function whole(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine(
      (typed) => /^\d{1,9}$/.test(typed) && Number(typed) >= min && Number(typed) <= max,
      `whole_wrong:${min}:${max}`,
    );
}

/** A decimal number of 0 or more, such as a rate; it stays a string. */
export function decimal(places: number) {
  return z
    .string()
    .trim()
    .refine(
      (typed) => new RegExp(`^\\d{1,12}(\\.\\d{1,${places}})?$`).test(typed),
      `decimal_wrong:${places}`,
    );
}

/** The decimal string of a typed amount that has passed `amount`. */
export function amountOf(typed: string): string {
  const parsed = parseTypedAmount(typed);
  if (parsed === null) throw new RangeError(`not an amount: ${typed}`);
  return parsed;
}

function isPositive(value: string | null): boolean {
  return value !== null && signOf(value) > 0;
}
