import { Ellipsis } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { IconButton } from '@/ui/button';
import { ActMenu, type Offered } from '../../act/act-button';
import { useMay, useStaff } from '../../session/use-staff';
import { DecideCampaign } from './decide-campaign';
import { GrantCoupon } from './grant-coupon';

type Props = { campaign: components['schemas']['Campaign'] };

/** What can be done with a campaign. Whoever proposed it does not decide about it. */
export function CampaignActs({ campaign }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const own = useStaff();
  const label = t('list.actions_of', { name: campaign.name });
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
  return (
    <ActMenu label={label} offered={offered}>
      <IconButton label={label}>
        <Ellipsis size={18} aria-hidden="true" />
      </IconButton>
    </ActMenu>
  );
}
