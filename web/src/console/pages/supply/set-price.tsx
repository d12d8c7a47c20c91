import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, MomentInput, momentOf, NumberInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { decimal, optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { Prices, usePriceText } from './prices';

type Placement = components['schemas']['Placement'];

const MODELS = ['cpm', 'cpc'] as const;
/** One impression costs a whole number of millionths. */
const DECIMALS = { cpm: 3, cpc: 6 } as const;

const schema = z
  .object({
    model: z.enum(MODELS),
    cost: decimal(DECIMALS.cpc),
    revenue: decimal(DECIMALS.cpc),
    valid_from: z.string().min(1),
    reason: optionalText(REASON_LIMIT),
  })
  .superRefine(({ model, ...amounts }, context) => {
    const fine = decimal(DECIMALS[model]);
    for (const name of ['cost', 'revenue'] as const)
      if (!fine.safeParse(amounts[name]).success)
        context.addIssue({ code: 'custom', path: [name], message: `decimal_wrong:${DECIMALS[model]}` });
  });

const INITIAL: z.infer<typeof schema> = { model: 'cpm', cost: '', revenue: '', valid_from: '', reason: '' };

type Props = { placement: Placement; onClose: () => void };

/** Sets what a placement costs and earns from a time on. The answer says whether a second person must confirm it. */
export function SetPrice({ placement, onClose }: Props) {
  const { t } = useTranslation('console');
  const textOf = usePriceText();
  const now = placement.prices.find(({ state }) => state === 'confirmed');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/placement/price',
        title: t('supply.price.set_title'),
        submit: t('supply.price.set_submit'),
        intro: (
          <div className={stack.gap3}>
            <p>{t('supply.price.set_intro')}</p>
            <Facts
              facts={[
                { label: t('supply.placement.network'), value: placement.network_name },
                { label: t('supply.placement.placement'), value: placement.name },
                { label: t('supply.placement.prices'), value: <Prices prices={placement.prices} /> },
              ]}
            />
          </div>
        ),
        schema,
        initial: INITIAL,
        fields: <Fields />,
        changes: ({ valid_from, ...price }) => [
          {
            what: t('supply.price.price'),
            before: now ? textOf(now) : t('supply.price.none_now'),
            after: textOf(price),
          },
          { what: t('supply.price.from'), before: null, after: <Moment at={momentOf(valid_from)} /> },
        ],
        body: ({ valid_from, reason, ...price }) => ({
          ...price,
          placement_id: placement.id,
          valid_from: momentOf(valid_from),
          ...(reason === '' ? {} : { reason }),
        }),
        done: (answer) => ({
          text: t(isProposed(answer) ? 'supply.price.proposed_done' : 'supply.price.set_done', {
            name: answer.name,
          }),
        }),
        touches: [consoleKeys.list('/admin/placement/list')],
      }}
    />
  );
}

/** Whether the price that was just set is a proposal: it begins after all others. */
function isProposed({ prices }: Placement): boolean {
  return prices.at(-1)?.state === 'proposed';
}

function Fields() {
  const { t } = useTranslation('console');
  return (
    <>
      <ChoiceInput
        name="model"
        label={t('supply.price.model')}
        options={MODELS.map((value) => ({ value, label: t(`supply.price.models.${value}`) }))}
      />
      <NumberInput name="cost" label={t('supply.price.cost')} hint={t('supply.price.cost_hint')} />
      <NumberInput name="revenue" label={t('supply.price.revenue')} hint={t('supply.price.revenue_hint')} />
      <MomentInput name="valid_from" label={t('supply.price.from')} />
      <ReasonInput optional />
    </>
  );
}
