import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay, useStaff } from '../../session/use-staff';
import { DecideCampaign } from './decide-campaign';
import { GrantCoupon } from './grant-coupon';

type Props = { campaign: components['schemas']['Campaign'] };

/** The acts on a campaign. Its proposer does not decide about it. */
export function CampaignActs({ campaign }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const own = useStaff();
  const offered: Offered[] = [];
  if (
    campaign.state === 'proposed' &&
    campaign.created_by !== own.id &&
    may('POST /admin/coupon/campaign/decide')
  )
    offered.push(
      {
        id: 'release',
        label: t('campaigns.release'),
        dialog: (close) => <DecideCampaign campaign={campaign} decision="released" onClose={close} />,
      },
      {
        id: 'reject',
        label: t('campaigns.reject'),
        tone: 'danger',
        dialog: (close) => <DecideCampaign campaign={campaign} decision="rejected" onClose={close} />,
      },
    );
  if (campaign.state === 'released' && may('POST /admin/coupon/grant'))
    offered.push({
      id: 'grant',
      label: t('campaigns.grant'),
      dialog: (close) => <GrantCoupon campaign={campaign} onClose={close} />,
    });
  return <RowMenu name={campaign.name} offered={offered} />;
}
