import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { CampaignFacts } from './campaign-facts';

const schema = z.object({ reason: text(REASON_LIMIT) });

type Props = {
  campaign: components['schemas']['Campaign'];
  decision: components['schemas']['CampaignDecision'];
  onClose: () => void;
};

/** Releases or rejects what another member has proposed. */
export function DecideCampaign({ campaign, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const isRelease = decision === 'released';
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/coupon/campaign/decide',
        title: t(isRelease ? 'campaigns.release_title' : 'campaigns.reject_title'),
        submit: t(isRelease ? 'campaigns.release' : 'campaigns.reject'),
        ...(isRelease ? {} : { tone: 'danger' as const }),
        intro: <CampaignFacts campaign={campaign} />,
        schema,
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('campaigns.state'),
            before: t('campaigns.states.proposed'),
            after: t(`campaigns.states.${decision}`),
          },
        ],
        body: ({ reason }) => ({ id: campaign.id, decision, reason }),
        done: ({ name }) => ({
          text: t(isRelease ? 'campaigns.released_done' : 'campaigns.rejected_done', { name }),
        }),
        touches: [consoleKeys.list('/admin/coupon/campaign/list')],
      }}
    />
  );
}
