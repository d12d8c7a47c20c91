import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import {
  AmountInput,
  ChoiceInput,
  MomentInput,
  momentOf,
  NumberInput,
  REASON_LIMIT,
  ReasonInput,
  TextInput,
} from '../../act/inputs';
import { amount, amountOf, amountOrZero, decimal, optionalText, text, whole } from '../../act/values';

const NAME_LIMIT = 100;
const LONGEST_VALID_DAYS = 3650;
/** Coupons of a campaign, as far as a form takes them. */
const LARGEST_TOTAL = 999_999_999;
/** Decimals of a percentage off. */
const PERCENT_DECIMALS = 2;

const MODES = ['discount', 'deduction', 'addition'] as const;
const TYPES = ['increment', 'deduction', 'team', 'custom', 'fixed_amount'] as const;
const KINDS = ['new_user', 'periodic', 'staff'] as const;

const total = whole(1, LARGEST_TOTAL);

export const campaignSchema = z
  .object({
    name: text(NAME_LIMIT),
    type: z.enum(TYPES),
    mode: z.enum(MODES),
    value: z.string().trim().min(1, 'required'),
    amount_requirement: amountOrZero(),
    kind: z.enum(KINDS),
    total: z.string().trim(),
    valid_days: whole(1, LONGEST_VALID_DAYS),
    starts_at: z.string(),
    ends_at: z.string(),
    reason: optionalText(REASON_LIMIT),
  })
  .superRefine(({ mode, value, total: count }, context) => {
    const isDiscount = mode === 'discount';
    const checked = (isDiscount ? decimal(PERCENT_DECIMALS) : amount()).safeParse(value);
    if (!checked.success)
      context.addIssue({
        code: 'custom',
        path: ['value'],
        message: isDiscount ? `decimal_wrong:${PERCENT_DECIMALS}` : 'amount_wrong',
      });
    if (count !== '' && !total.safeParse(count).success)
      context.addIssue({ code: 'custom', path: ['total'], message: `whole_wrong:1:${LARGEST_TOTAL}` });
  });

export type CampaignValues = z.infer<typeof campaignSchema>;

export const NEW_CAMPAIGN: CampaignValues = {
  name: '',
  type: 'custom',
  mode: 'deduction',
  value: '',
  amount_requirement: '0',
  kind: 'staff',
  total: '',
  valid_days: '30',
  starts_at: '',
  ends_at: '',
  reason: '',
};

/** The value as calls and answers have it: `12.5%`, or an amount. */
export function couponValue({ mode, value }: CampaignValues): string {
  return mode === 'discount' ? `${value}%` : amountOf(value);
}

export function campaignBody(values: CampaignValues): components['schemas']['CreateCampaignRequest'] {
  const { name, type, mode, kind, valid_days: days, starts_at: starts, ends_at: ends, reason } = values;
  return {
    name,
    type,
    mode,
    kind,
    value: couponValue(values),
    amount_requirement: amountOf(values.amount_requirement),
    valid_days: Number(days),
    ...(values.total === '' ? {} : { total: Number(values.total) }),
    ...(starts === '' ? {} : { starts_at: momentOf(starts) }),
    ...(ends === '' ? {} : { ends_at: momentOf(ends) }),
    ...(reason === '' ? {} : { reason }),
  };
}

export function CampaignFields() {
  const { t } = useTranslation('console');
  return (
    <>
      <TextInput name="name" label={t('campaigns.name')} limit={NAME_LIMIT} />
      <ChoiceInput
        name="mode"
        label={t('campaigns.mode')}
        options={MODES.map((value) => ({ value, label: t(`campaigns.modes.${value}`) }))}
      />
      <NumberInput name="value" label={t('campaigns.value')} hint={t('campaigns.value_hint')} />
      <ChoiceInput
        name="type"
        label={t('campaigns.type')}
        options={TYPES.map((value) => ({ value, label: t(`campaigns.types.${value}`) }))}
      />
      <ChoiceInput
        name="kind"
        label={t('campaigns.kind')}
        options={KINDS.map((value) => ({ value, label: t(`campaigns.kinds.${value}`) }))}
      />
      <AmountInput
        name="amount_requirement"
        label={t('campaigns.requirement')}
        hint={t('campaigns.requirement_hint')}
      />
      <NumberInput name="total" label={t('campaigns.total')} hint={t('campaigns.total_hint')} optional />
      <NumberInput
        name="valid_days"
        label={t('campaigns.valid_days')}
        hint={t('campaigns.valid_days_hint')}
      />
      <MomentInput
        name="starts_at"
        label={t('campaigns.starts')}
        hint={t('campaigns.starts_hint')}
        optional
      />
      <MomentInput name="ends_at" label={t('campaigns.ends')} hint={t('campaigns.ends_hint')} optional />
      <ReasonInput optional />
    </>
  );
}
