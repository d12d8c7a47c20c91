import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { StaffName } from '../../ui/staff-name';
import { Claimed, ClaimWindow, Days, Kind, Value } from './cells';
import { mostOf } from './cost';

/** What somebody who decides about a campaign has to know of it. */
export function CampaignFacts({ campaign }: { campaign: components['schemas']['Campaign'] }) {
  const { t } = useTranslation('console');
  const most = mostOf(campaign);
  return (
    <Facts
      facts={[
        { label: t('campaigns.name'), value: campaign.name },
        { label: t('campaigns.value'), value: <Value campaign={campaign} /> },
        { label: t('campaigns.kind'), value: <Kind campaign={campaign} /> },
        { label: t('campaigns.requirement'), value: <Amount value={campaign.amount_requirement} /> },
        { label: t('campaigns.claimed'), value: <Claimed campaign={campaign} /> },
        {
          label: t('campaigns.most'),
          value: most === null ? t('campaigns.most_unlimited') : <Amount value={most} />,
        },
        { label: t('campaigns.window'), value: <ClaimWindow campaign={campaign} /> },
        { label: t('campaigns.valid_for'), value: <Days campaign={campaign} /> },
        { label: t('campaigns.created_by'), value: <StaffName id={campaign.created_by} /> },
      ]}
    />
  );
}
