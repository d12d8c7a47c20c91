import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { REASON_LIMIT } from '../../act/inputs';
import { amount, amountOf, amountOrZero, optionalText, text, whole } from '../../act/values';

export type StaffProduct = components['schemas']['StaffProduct'];
type ProductBody = components['schemas']['CreateProductRequest'] & { reason?: string };

export const LIMITS = {
  name: 200,
  category: 100,
  description: 10_000,
  regions: 5000,
  address: 2000,
  headline: 200,
} as const;
const OLDEST_AGE = 120;
const HIGHEST_RETURN_PERCENT = 10_000;

export const GENDERS = ['any', 'female', 'male'] as const;
export const CONTENT_TYPES = ['video', 'landing_page'] as const;
export const GOALS = ['clicks', 'revenue'] as const;

/** What staff type of a product. The names are those of the call where it has no parts. */
export const productSchema = z
  .object({
    name: text(LIMITS.name),
    category: text(LIMITS.category),
    description: text(LIMITS.description),
    game_description: optionalText(LIMITS.description),
    content_types: z.array(z.enum(CONTENT_TYPES)).min(1, 'required'),
    put_min: amount(),
    put_max: amount(),
    gender: z.enum(GENDERS),
    age_min: whole(0, OLDEST_AGE),
    age_max: whole(0, OLDEST_AGE),
    regions: optionalText(LIMITS.regions),
    return_max_percent: whole(0, HIGHEST_RETURN_PERCENT),
    revenue_per_thousand_max: amountOrZero(),
    goal: z.enum(GOALS),
    placements: z.array(z.string()),
    ad_title: optionalText(LIMITS.headline),
    ad_picture: optionalText(LIMITS.address),
    ad_destination: optionalText(LIMITS.address),
    icon_url: optionalText(LIMITS.address),
    cover_url: optionalText(LIMITS.address),
    reason: optionalText(REASON_LIMIT),
  })
  .superRefine(({ age_min, age_max }, context) => {
    if (Number(age_max) < Number(age_min))
      context.addIssue({
        code: 'custom',
        path: ['age_max'],
        message: `whole_wrong:${Number(age_min)}:${OLDEST_AGE}`,
      });
  });

export type ProductValues = z.infer<typeof productSchema>;

/** What the server takes for a product that says nothing else. */
export const NEW_PRODUCT: ProductValues = {
  name: '',
  category: '',
  description: '',
  game_description: '',
  content_types: ['video'],
  put_min: '',
  put_max: '',
  gender: 'any',
  age_min: '18',
  age_max: '65',
  regions: '',
  return_max_percent: '1000',
  revenue_per_thousand_max: '1000.00',
  goal: 'clicks',
  placements: [],
  ad_title: '',
  ad_picture: '',
  ad_destination: '',
  icon_url: '',
  cover_url: '',
  reason: '',
};

/** A product as the form has it. */
export function valuesOf({ audience, creative, ...product }: StaffProduct): ProductValues {
  return {
    name: product.name,
    category: product.category,
    description: product.description,
    game_description: product.game_description,
    content_types: product.content_types,
    put_min: product.put_min,
    put_max: product.put_max,
    gender: audience.gender,
    age_min: String(audience.age_min),
    age_max: String(audience.age_max),
    regions: audience.regions.join(', '),
    return_max_percent: String(product.return_max_percent),
    revenue_per_thousand_max: product.revenue_per_thousand_max,
    goal: product.goal,
    placements: product.placements,
    ad_title: creative.title,
    ad_picture: creative.picture,
    ad_destination: creative.destination,
    icon_url: product.icon_url ?? '',
    cover_url: product.cover_url ?? '',
    reason: '',
  };
}

/** All of a product, as an edit must send it. */
export function productBody(values: ProductValues): ProductBody {
  return {
    name: values.name,
    category: values.category,
    description: values.description,
    game_description: values.game_description,
    content_types: values.content_types,
    put_min: amountOf(values.put_min),
    put_max: amountOf(values.put_max),
    audience: {
      gender: values.gender,
      age_min: Number(values.age_min),
      age_max: Number(values.age_max),
      regions: regionsOf(values.regions),
    },
    return_max_percent: Number(values.return_max_percent),
    revenue_per_thousand_max: amountOf(values.revenue_per_thousand_max),
    goal: values.goal,
    placements: values.placements,
    creative: {
      title: values.ad_title,
      picture: values.ad_picture,
      destination: values.ad_destination,
    },
    icon_url: values.icon_url === '' ? null : values.icon_url,
    cover_url: values.cover_url === '' ? null : values.cover_url,
    ...(values.reason === '' ? {} : { reason: values.reason }),
  };
}

/** The regions of a typed list. A name may have blanks in it. */
export function regionsOf(typed: string): string[] {
  const regions = typed.split(/[,;\n]/).map((region) => region.trim());
  return regions.filter((region) => region !== '');
}
