export type Age = { unit: 'minute' | 'hour' | 'day'; count: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Up to here the next smaller unit says more. */
const HOURS_SAID = 48;

/** The time from one moment to another in whole units, as one says it: 90 minutes are an hour, 30 hours are 30 hours. */
export function ageOf(since: string, at: string): Age {
  const passed = Math.max(0, Date.parse(at) - Date.parse(since));
  if (passed < HOUR_MS) return { unit: 'minute', count: Math.floor(passed / MINUTE_MS) };
  const hours = Math.floor(passed / HOUR_MS);
  return hours < HOURS_SAID
    ? { unit: 'hour', count: hours }
    : { unit: 'day', count: Math.floor(passed / DAY_MS) };
}
