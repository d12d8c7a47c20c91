import { useTranslation } from 'react-i18next';
import { localeOf } from './languages';

export type Formats = {
  /** An amount with exactly two decimals. The string goes to Intl as it is, so no digit passes through a float. */
  money: (value: string) => string;
  /** The same with a plus or minus, for results and movements. */
  signedMoney: (value: string) => string;
  /** An amount as it is typed: without groups, see `parseTypedAmount`. */
  typedMoney: (value: string) => string;
  integer: (value: number) => string;
  /** A decimal string of the server as short as it is: `10`, `12.5`. */
  decimal: (value: string) => string;
  /** A rate or ratio with two to four decimals. */
  ratio: (value: string) => string;
  percent: (fraction: string) => string;
  /** A progress of 0 to 100. */
  wholePercent: (percent: number) => string;
  date: (iso: string) => string;
  dateTime: (iso: string) => string;
  /** Date and time for a list: the year only where it is not this one. */
  moment: (iso: string) => string;
  time: (value: Date | number) => string;
  /** `2026-11` as month and year. */
  month: (month: string) => string;
  /** Facts side by side. Not `Intl.ListFormat`: it puts an “and” before the last in some languages and nothing at all between them in Chinese. */
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

/** Intl formatters are cheap to use and costly to make: each is made when it is first wanted. */
function numbers(locale: string, options: Intl.NumberFormatOptions): (value: string | number) => string {
  let made: Intl.NumberFormat | undefined;
  return (value) => {
    made ??= new Intl.NumberFormat(locale, options);
    return made.format(value as NumericString);
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
  const wholePercent = numbers(locale, { style: 'percent', maximumFractionDigits: 0 });
  const dateTime = moments(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const thisYear = moments(locale, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
  const month = moments(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  return {
    money: numbers(locale, twoDecimals),
    signedMoney: numbers(locale, { ...twoDecimals, signDisplay: 'exceptZero' }),
    typedMoney: numbers(locale, { ...twoDecimals, useGrouping: false }),
    integer: numbers(locale, { maximumFractionDigits: 0 }),
    decimal: numbers(locale, { maximumFractionDigits: 2 }),
    ratio: numbers(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 }),
    percent: numbers(locale, { style: 'percent', ...twoDecimals }),
    wholePercent: (percent) => wholePercent(percent / 100),
    date: moments(locale, { dateStyle: 'medium' }),
    dateTime,
    moment: (iso) => {
      const isThisYear = new Date(iso).getFullYear() === new Date().getFullYear();
      return isThisYear ? thisYear(iso) : dateTime(iso);
    },
    time: moments(locale, { hour: '2-digit', minute: '2-digit' }),
    month: (value) => month(`${value}-01T00:00:00Z`),
    list: (items) => items.join(' · '),
  };
}

/** The formats of the language that is shown. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return formatsFor(i18n.language);
}
