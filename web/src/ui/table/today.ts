import { dayIn } from '@/lib/calendar';
import { timeZoneName } from '@/lib/time-zone';

/** Today in the time zone that every call names. */
export function today(): string {
  return dayIn(timeZoneName(), Date.now());
}
