import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { Change } from '../../act/act';
import { ActDialog } from '../../act/act-dialog';
import { momentOf } from '../../act/inputs';
import { amountOf } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Amount } from '../../ui/amount';
import {
  CampaignFields,
  type CampaignValues,
  campaignBody,
  campaignSchema,
  couponValue,
  NEW_CAMPAIGN,
} from './campaign-values';
import { ClaimWindow, useValueText } from './cells';
import { mostOf } from './cost';

/** Creates a campaign. The answer says whether a second person must release it. */
export function CreateCampaign({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('console');
  const changes = useChanges();
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/coupon/campaign/create',
        title: t('campaigns.create_title'),
        submit: t('campaigns.create'),
        intro: <p>{t('campaigns.create_intro')}</p>,
        schema: campaignSchema,
        initial: NEW_CAMPAIGN,
        fields: <CampaignFields />,
        changes,
        body: campaignBody,
        done: ({ name, state }) => ({
          text: t(state === 'proposed' ? 'campaigns.proposed_done' : 'campaigns.created_done', { name }),
        }),
        touches: [consoleKeys.list('/admin/coupon/campaign/list')],
      }}
    />
  );
}

function useChanges(): (values: CampaignValues) => Change[] {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const valueText = useValueText();
  return (values) => {
    const { mode, kind, starts_at, ends_at } = values;
    const value = couponValue(values);
    const total = values.total === '' ? null : Number(values.total);
    const most = mostOf({ mode, value, total });
    const claiming = {
      starts_at: starts_at === '' ? null : momentOf(starts_at),
      ends_at: ends_at === '' ? null : momentOf(ends_at),
    };
    return [
      { what: t('campaigns.value'), before: null, after: valueText({ mode, value }) },
      { what: t('campaigns.kind'), before: null, after: t(`campaigns.kinds.${kind}`) },
      {
        what: t('campaigns.requirement'),
        before: null,
        after: <Amount value={amountOf(values.amount_requirement)} />,
      },
      {
        what: t('campaigns.total'),
        before: null,
        after: total === null ? t('campaigns.unlimited') : integer(total),
      },
      {
        what: t('campaigns.most'),
        before: null,
        after: most === null ? t('campaigns.most_unlimited') : <Amount value={most} />,
      },
      { what: t('campaigns.window'), before: null, after: <ClaimWindow campaign={claiming} /> },
    ];
  };
}
