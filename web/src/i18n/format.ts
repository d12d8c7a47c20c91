import { useTranslation } from 'react-i18next';
import { localeOf } from './languages';

export type Formats = {
  /** An amount with exactly two decimals. Intl formats the string itself, so no digit passes through a float. */
  money: (value: string) => string;
  /** An amount with its sign, for results and movements. */
  signedMoney: (value: string) => string;
  /** An amount without grouping, for input fields. See `parseTypedAmount`. */
  typedMoney: (value: string) => string;
  /** An amount of a delivery report, with two to six decimals. */
  fineMoney: (value: string) => string;
  integer: (value: number) => string;
  /** A decimal without trailing zeros: `10`, `12.5`. */
  decimal: (value: string) => string;
  /** A rate or ratio with two to four decimals. */
  ratio: (value: string) => string;
  /** How often one amount covers another: `1.07×`. */
  times: (ratio: string) => string;
  percent: (fraction: string) => string;
  /** A change in whole percent, with its sign. */
  change: (percent: number) => string;
  /** A progress from 0 to 100. */
  wholePercent: (percent: number) => string;
  date: (iso: string) => string;
  dateTime: (iso: string) => string;
  /** Date and time for lists. Omits the current year. */
  moment: (iso: string) => string;
  time: (value: Date | number) => string;
  /** The time of day, with the date before it unless it is today. */
  recent: (iso: string) => string;
  /** `2026-11` as month and year. */
  month: (month: string) => string;
  /** Joins facts. `Intl.ListFormat` would add an “and” in some languages and nothing at all in Chinese. */
  list: (items: readonly string[]) => string;
};

type NumericString = `${number}`;

export function formatsFor(lang: string): Formats {
  const known = cache.get(lang);
  if (known) return known;
  const made = makeFormats(localeOf(lang));
  cache.set(lang, made);
  return made;
}

const cache = new Map<string, Formats>();

const MINUS = '\u2212';

/**
 * Formats numbers with a true minus sign: most locales have the shorter hyphen, which also breaks lines. Intl
 * formatters are expensive to create, so each is created on first use.
 */
export function numbers(
  locale: string,
  options: Intl.NumberFormatOptions,
): (value: string | number) => string {
  let made: Intl.NumberFormat | undefined;
  return (value) => {
    made ??= new Intl.NumberFormat(locale, options);
    return made.format(value as NumericString).replace('-', MINUS);
  };
}

function moments(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): (value: string | Date | number) => string {
  let made: Intl.DateTimeFormat | undefined;
  return (value) => {
    made ??= new Intl.DateTimeFormat(locale, options);
    return made.format(typeof value === 'string' ? new Date(value) : value);
  };
}

function makeFormats(locale: string): Formats {
  const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
  const two = numbers(locale, twoDecimals);
  const time = moments(locale, { hour: '2-digit', minute: '2-digit' });
  const change = numbers(locale, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
  const wholePercent = numbers(locale, { style: 'percent', maximumFractionDigits: 0 });
  const dateTime = moments(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const thisYear = moments(locale, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
  const moment = (iso: string) => {
    const isThisYear = new Date(iso).getFullYear() === new Date().getFullYear();
    return isThisYear ? thisYear(iso) : dateTime(iso);
  };
  const month = moments(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  return {
    money: two,
    signedMoney: numbers(locale, { ...twoDecimals, signDisplay: 'exceptZero' }),
    typedMoney: numbers(locale, { ...twoDecimals, useGrouping: false }),
    fineMoney: numbers(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 }),
    integer: numbers(locale, { maximumFractionDigits: 0 }),
    decimal: numbers(locale, { maximumFractionDigits: 2 }),
    ratio: numbers(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 }),
    times: (ratio) => `${two(ratio)}×`,
    percent: numbers(locale, { style: 'percent', ...twoDecimals }),
    change: (percent) => change(percent / 100),
    wholePercent: (percent) => wholePercent(percent / 100),
    date: moments(locale, { dateStyle: 'medium' }),
    dateTime,
    moment,
    time,
    recent: (iso) => {
      const at = new Date(iso);
      return at.toDateString() === new Date().toDateString() ? time(at) : moment(iso);
    },
    month: (value) => month(`${value}-01T00:00:00Z`),
    list: (items) => items.join(' · '),
  };
}

/** The formats of the current language. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return formatsFor(i18n.language);
}
