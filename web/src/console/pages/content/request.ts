import { amountOf } from '../../act/values';
import type { ContentRequest, Entry, PlainFieldName, SectionName, TextFieldName, Texts } from './sections';

/** What is sent to save one section. The server leaves the sections that are absent as they are. */
export function requestOf(name: SectionName, entries: readonly Entry[]): ContentRequest {
  switch (name) {
    case 'customer_service':
    case 'recharge_customer_service':
      return {
        [name]: entries.map((entry) => ({
          ...idOf(entry),
          type: Number(plain(entry, 'type')),
          url: plain(entry, 'url'),
          label: written(entry, 'label'),
          hours: written(entry, 'hours'),
          answer_time: written(entry, 'answer_time'),
        })),
      };
    case 'deposit_methods':
      return {
        deposit_methods: entries.map((entry) => ({
          ...idOf(entry),
          name: written(entry, 'name'),
          fee: written(entry, 'fee'),
          arrival: written(entry, 'arrival'),
          min: amountOrNull(plain(entry, 'min')),
          max: amountOrNull(plain(entry, 'max')),
        })),
      };
    case 'faq':
      return {
        faq: entries.map((entry) => ({
          ...idOf(entry),
          title: written(entry, 'title'),
          content: written(entry, 'content'),
        })),
      };
    case 'marketing':
      return { marketing: { headline: oneText(entries) } };
    default:
      return { [name]: oneText(entries) };
  }
}

/** The texts that are there, as the server keeps them: without blanks at their ends, and none that is empty. */
export function writtenOf(texts: Texts | undefined): Record<string, string> {
  const entries = Object.entries(texts ?? {}).map(([code, text]) => [code, text.trim()]);
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}

function written(entry: Entry, field: TextFieldName): Record<string, string> {
  return writtenOf(entry.texts[field]);
}

function oneText([entry]: readonly Entry[]): Record<string, string> {
  return entry ? written(entry, 'text') : {};
}

function plain(entry: Entry, field: PlainFieldName): string {
  return (entry.plain[field] ?? '').trim();
}

function idOf({ id }: Entry): { id?: string } {
  return id === null ? {} : { id };
}

function amountOrNull(typed: string): string | null {
  return typed === '' ? null : amountOf(typed);
}
