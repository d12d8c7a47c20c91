import { z } from 'zod';
import type { PostBody } from '@/lib/api/contract';
import type { components } from '@/lib/api/schema';
import { amount, amountOf, optionalText, text } from '../../act/values';
import { type Audience, GENDERS } from './audience';

export type Product = components['schemas']['StaffProduct'];
export type Operator = components['schemas']['Operator'];

/** The server's limits. */
export const USERS_LIMIT = 500;
export const TEXT_LIMIT = 2000;
const REGIONS_LIMIT = 100;
const OLDEST = 120;

/** Ages are checked only where they are sent. */
const age = z.string().trim();

export const pushSchema = z
  .object({
    product_id: z.string().min(1, 'required'),
    amount: amount(),
    put_content: text(TEXT_LIMIT),
    put_rule: optionalText(TEXT_LIMIT),
    targeting: z.enum(['product', 'own']),
    regions: z.string(),
    age_min: age,
    age_max: age,
    gender: z.enum(GENDERS),
    to: z.enum(['users', 'followers']),
    operator_id: z.string(),
    users: z.array(z.object({ id: z.string(), username: z.string() })),
  })
  .superRefine((values, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (values.to === 'users' && values.users.length === 0) refuse('users', 'required');
    if (values.to === 'followers' && values.operator_id === '') refuse('operator_id', 'required');
    if (values.targeting === 'product') return;
    if (!isAge(values.age_min, 0)) refuse('age_min', `whole_wrong:0:${OLDEST}`);
    else if (!isAge(values.age_max, Number(values.age_min)))
      refuse('age_max', `whole_wrong:${values.age_min}:${OLDEST}`);
    const regions = regionsOf(values.regions);
    if (regions.length > REGIONS_LIMIT) refuse('regions', `too_long:${REGIONS_LIMIT}`);
  });

export type PushValues = z.infer<typeof pushSchema>;

export const NO_VALUES: PushValues = {
  product_id: '',
  amount: '',
  put_content: '',
  put_rule: '',
  targeting: 'product',
  regions: '',
  age_min: '',
  age_max: '',
  gender: 'any',
  to: 'users',
  operator_id: '',
  users: [],
};

/** The plan's own audience; null if it has the product's. */
export function ownAudience(values: PushValues): Audience | null {
  if (values.targeting === 'product') return null;
  return {
    regions: regionsOf(values.regions),
    age_min: Number(values.age_min),
    age_max: Number(values.age_max),
    gender: values.gender,
  };
}

export function pushBody(values: PushValues): PostBody<'/admin/plan/push'> {
  const operator = values.operator_id === '' ? {} : { operator_id: values.operator_id };
  const users = values.to === 'users' ? { user_ids: values.users.map(({ id }) => id) } : {};
  const audience = ownAudience(values);
  return {
    product_id: values.product_id,
    amount: amountOf(values.amount),
    put_content: values.put_content,
    put_rule: values.put_rule,
    to: { ...operator, ...users },
    ...(audience === null ? {} : { user_targeting: audience }),
  };
}

/** How many users get a plan. */
export function recipientsOf(values: PushValues, operator: Operator | undefined): number {
  return values.to === 'users' ? values.users.length : (operator?.followers ?? 0);
}

function regionsOf(typed: string): string[] {
  return typed
    .split(',')
    .map((region) => region.trim())
    .filter((region) => region !== '');
}

function isAge(typed: string, least: number): boolean {
  return /^\d{1,3}$/.test(typed) && Number(typed) >= least && Number(typed) <= OLDEST;
}
