import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type Content = Schemas['Content'];
export type ContentRequest = Schemas['ContentRequest'];

/** A text by language code. */
export type Texts = Readonly<Record<string, string>>;

export type TextFieldName =
  | 'text'
  | 'label'
  | 'hours'
  | 'answer_time'
  | 'name'
  | 'fee'
  | 'arrival'
  | 'title'
  | 'content';
export type PlainFieldName = 'type' | 'url' | 'min' | 'max';

export type TextFieldSpec = {
  name: TextFieldName;
  /** Characters at most, as the server has it. */
  limit: number;
  isLong?: true;
  /** May be missing as a whole; otherwise English is required. */
  isOptional?: true;
};

export type SectionSpec = {
  name: SectionName;
  texts: readonly TextFieldSpec[];
  plain: readonly PlainFieldName[];
  /** Entries at most; null for a section that is one text. */
  most: number | null;
};

export type SectionName =
  | 'customer_service'
  | 'recharge_customer_service'
  | 'deposit_methods'
  | 'faq'
  | 'operating_rules'
  | 'activity_rules'
  | 'terms'
  | 'privacy'
  | 'imprint'
  | 'fees'
  | 'marketing';

const SERVICE = {
  texts: [
    { name: 'label', limit: 60 },
    { name: 'hours', limit: 120, isOptional: true },
    { name: 'answer_time', limit: 120, isOptional: true },
  ],
  plain: ['type', 'url'],
  most: 20,
} as const;

/** The legal texts and the headline may be empty: users are then shown none. */
const OPTIONAL_TEXT = {
  texts: [{ name: 'text', limit: 20_000, isLong: true, isOptional: true }],
  plain: [],
  most: null,
} as const;

const RULES = { texts: [{ name: 'text', limit: 20_000, isLong: true }], plain: [], most: null } as const;

/** What staff edit, in the order of the page. */
export const SECTIONS: readonly SectionSpec[] = [
  { name: 'customer_service', ...SERVICE },
  { name: 'recharge_customer_service', ...SERVICE },
  {
    name: 'deposit_methods',
    texts: [
      { name: 'name', limit: 60 },
      { name: 'fee', limit: 120 },
      { name: 'arrival', limit: 120 },
    ],
    plain: ['min', 'max'],
    most: 20,
  },
  {
    name: 'faq',
    texts: [
      { name: 'title', limit: 200 },
      { name: 'content', limit: 5_000, isLong: true },
    ],
    plain: [],
    most: 50,
  },
  { name: 'operating_rules', ...RULES },
  { name: 'activity_rules', ...RULES },
  { name: 'terms', ...OPTIONAL_TEXT },
  { name: 'privacy', ...OPTIONAL_TEXT },
  { name: 'imprint', ...OPTIONAL_TEXT },
  { name: 'fees', ...OPTIONAL_TEXT },
  {
    name: 'marketing',
    texts: [{ name: 'text', limit: 200, isOptional: true }],
    plain: [],
    most: null,
  },
];

/** An entry of a section; a section that is one text has exactly one. */
export type Entry = {
  /** What tells entries apart while they are edited: the server's id, or one of the page's own for a new one. */
  key: string;
  id: string | null;
  texts: Readonly<Partial<Record<TextFieldName, Texts>>>;
  plain: Readonly<Partial<Record<PlainFieldName, string>>>;
};

const ONE_TEXT = 'text';

export function entriesOf(name: SectionName, content: Content): Entry[] {
  switch (name) {
    case 'customer_service':
    case 'recharge_customer_service':
      return content[name].map(({ id, type, url, label, hours, answer_time }) => ({
        key: id,
        id,
        texts: { label, hours, answer_time },
        plain: { type: String(type), url },
      }));
    case 'deposit_methods':
      return content.deposit_methods.map(({ id, name: title, fee, arrival, min, max }) => ({
        key: id,
        id,
        texts: { name: title, fee, arrival },
        plain: { min: min ?? '', max: max ?? '' },
      }));
    case 'faq':
      return content.faq.map(({ id, title, content: answer }) => ({
        key: id,
        id,
        texts: { title, content: answer },
        plain: {},
      }));
    case 'marketing':
      return [textEntry(content.marketing?.headline ?? {})];
    default:
      return [textEntry(content[name])];
  }
}

function textEntry(text: Texts): Entry {
  return { key: ONE_TEXT, id: null, texts: { text }, plain: {} };
}

export function newEntry(key: string, spec: SectionSpec): Entry {
  return {
    key,
    id: null,
    texts: Object.fromEntries(spec.texts.map(({ name }) => [name, {}])),
    plain: Object.fromEntries(spec.plain.map((name) => [name, name === 'type' ? '1' : ''])),
  };
}
