import { z } from 'zod';
import { readObject, write } from '@/lib/storage';

/** What a report says. The server takes rows without the optional ones. */
export const FIELDS = [
  'report_id',
  'revision',
  'plan_number',
  'time',
  'impressions',
  'clicks',
  'spend',
  'revenue',
  'placement',
] as const;
export type Field = (typeof FIELDS)[number];

export const REQUIRED: readonly Field[] = ['plan_number', 'time'];

export const MODELS = ['none', 'cpm', 'cpc'] as const;

/** Networks report fractions of a cent. */
const DECIMALS = 9;
const RATE = new RegExp(`^\\d{1,12}(\\.\\d{1,${DECIMALS}})?$`);

const column = z.string();

export const mappingSchema = z
  .object({
    columns: z.object({
      report_id: column,
      revision: column,
      plan_number: column.min(1, 'required'),
      time: column.min(1, 'required'),
      impressions: column,
      clicks: column,
      spend: column,
      revenue: column,
      placement: column,
    }),
    model: z.enum(MODELS),
    cost: z.string().trim(),
    earned: z.string().trim(),
  })
  .superRefine(({ model, cost, earned }, context) => {
    if (model === 'none') return;
    const message = `decimal_wrong:${DECIMALS}`;
    if (!RATE.test(cost)) context.addIssue({ code: 'custom', path: ['cost'], message });
    if (!RATE.test(earned)) context.addIssue({ code: 'custom', path: ['earned'], message });
  });

export type Mapping = z.infer<typeof mappingSchema>;

/** What networks call the fields, without everything but letters and digits. */
const NAMES: Record<Field, readonly string[]> = {
  report_id: ['reportid', 'id', 'rowid', 'recordid', 'uuid'],
  revision: ['revision', 'rev', 'version'],
  plan_number: ['plannumber', 'plan', 'planno', 'planid', 'campaign', 'campaignid', 'order', 'ordernumber'],
  time: ['time', 'timestamp', 'at', 'date', 'datetime', 'hour', 'day'],
  impressions: ['impressions', 'impression', 'imps', 'imp', 'views', 'shows'],
  clicks: ['clicks', 'click', 'taps'],
  spend: ['spend', 'cost', 'spent', 'mediacost', 'charge'],
  revenue: ['revenue', 'earnings', 'income', 'earned', 'rev'],
  placement: ['placement', 'placementid', 'placementname', 'slot', 'zone', 'adunit'],
};

const NOTHING: Mapping = {
  columns: {
    report_id: '',
    revision: '',
    plan_number: '',
    time: '',
    impressions: '',
    clicks: '',
    spend: '',
    revenue: '',
    placement: '',
  },
  model: 'none',
  cost: '',
  earned: '',
};

/** The mapping with which this source was last read, as far as the file has its columns, and a guess by names else. */
export function firstMapping(source: string, columns: readonly string[]): Mapping {
  const kept = mappingSchema.safeParse(readObject(keyOf(source)));
  if (kept.success && REQUIRED.every((field) => columns.includes(kept.data.columns[field]))) {
    const known = mapFields((field) => {
      const name = kept.data.columns[field];
      return columns.includes(name) ? name : '';
    });
    return { ...kept.data, columns: known };
  }
  return { ...NOTHING, columns: guess(columns) };
}

export function keepMapping(source: string, mapping: Mapping): void {
  write(keyOf(source), mapping);
}

/** Fields that take the same column as one before, which the server refuses. */
export function usedTwice({ columns }: Mapping): Field[] {
  const names = FIELDS.map((field) => columns[field]);
  return FIELDS.filter((field, index) => columns[field] !== '' && names.indexOf(columns[field]) !== index);
}

/** The `mapping` of the call. */
export function mappingJson({ columns, model, cost, earned }: Mapping): string {
  const mapped = FIELDS.filter((field) => columns[field] !== '').map((field) => [columns[field], field]);
  const pricing = model === 'none' ? {} : { pricing: { model, cost, revenue: earned } };
  return JSON.stringify({ columns: Object.fromEntries(mapped), ...pricing });
}

function guess(columns: readonly string[]): Record<Field, string> {
  const free = new Set(columns);
  return mapFields((field) => {
    for (const name of NAMES[field]) {
      const found = [...free].find((known) => known.toLowerCase().replace(/[^a-z0-9]/g, '') === name);
      if (found === undefined) continue;
      free.delete(found);
      return found;
    }
    return '';
  });
}

function mapFields(columnOf: (field: Field) => string): Record<Field, string> {
  return Object.fromEntries(FIELDS.map((field) => [field, columnOf(field)])) as Record<Field, string>;
}

function keyOf(source: string): string {
  return `adfolio.console.mapping.${source}`;
}
