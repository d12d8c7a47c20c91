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

// Intl formatters are costly to make and cheap to use.
const cache = new Map<string, Formats>();

function makeFormats(locale: string): Formats {
  const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
  const money = new Intl.NumberFormat(locale, twoDecimals);
  const typed = new Intl.NumberFormat(locale, { ...twoDecimals, useGrouping: false });
  const signed = new Intl.NumberFormat(locale, { ...twoDecimals, signDisplay: 'exceptZero' });
  const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const percent = new Intl.NumberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const ratio = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  const wholePercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const thisYear = new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  return {
    money: (value) => money.format(value as NumericString),
    signedMoney: (value) => signed.format(value as NumericString),
    typedMoney: (value) => typed.format(value as NumericString),
    integer: (value) => integer.format(value),
    decimal: (value) => decimal.format(value as NumericString),
    ratio: (value) => ratio.format(value as NumericString),
    wholePercent: (percent) => wholePercent.format(percent / 100),
    percent: (fraction) => percent.format(fraction as NumericString),
    date: (iso) => date.format(new Date(iso)),
    moment: (iso) => {
      const date = new Date(iso);
      return (date.getFullYear() === new Date().getFullYear() ? thisYear : dateTime).format(date);
    },
    dateTime: (iso) => dateTime.format(new Date(iso)),
    time: (value) => time.format(value),
    month: (value) => month.format(new Date(`${value}-01T00:00:00Z`)),
    list: (items) => items.join(' · '),
  };
}

/** The formats of the language that is shown. */
export function useFormats(): Formats {
  const { i18n } = useTranslation();
  return formatsFor(i18n.language);
}
