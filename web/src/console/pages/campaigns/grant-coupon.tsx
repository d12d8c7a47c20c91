import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { UserInput } from '../../act/user-input';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import type { PickedUser } from '../../ui/user-picker';
import { Claimed, Days, useValueText, Value } from './cells';

const schema = z.object({ user_id: z.string().min(1), reason: optionalText(REASON_LIMIT) });

type Props = { campaign: components['schemas']['Campaign']; onClose: () => void };

/** Gives a user a coupon of a campaign. */
export function GrantCoupon({ campaign, onClose }: Props) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const valueText = useValueText();
  const [user, setUser] = useState<PickedUser | null>(null);
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/coupon/grant',
        title: t('campaigns.grant_title'),
        submit: t('campaigns.grant_submit'),
        intro: (
          <div className={stack.gap3}>
            <p>{t('campaigns.grant_intro')}</p>
            <Facts
              facts={[
                { label: t('campaigns.coupon'), value: campaign.name },
                { label: t('campaigns.value'), value: <Value campaign={campaign} /> },
                { label: t('campaigns.claimed'), value: <Claimed campaign={campaign} /> },
                { label: t('campaigns.valid_for'), value: <Days campaign={campaign} /> },
              ]}
            />
          </div>
        ),
        schema,
        initial: { user_id: '', reason: '' },
        fields: (
          <>
            <UserInput name="user_id" label={t('campaigns.user')} picked={user} onPick={setUser} />
            <ReasonInput optional />
          </>
        ),
        changes: ({ user_id }) => [
          {
            what: t('campaigns.gets', { name: user?.username ?? user_id }),
            before: null,
            after: valueText(campaign),
          },
          { what: t('campaigns.claimed'), before: campaign.claimed, after: campaign.claimed + 1 },
        ],
        body: ({ user_id, reason }) => ({
          campaign_id: campaign.id,
          user_id,
          ...(reason === '' ? {} : { reason }),
        }),
        done: (coupon, { user_id }) => ({
          text: t('campaigns.granted_done', {
            name: user?.username ?? user_id,
            time: dateTime(coupon.expires_at),
          }),
          links: [{ label: t('campaigns.see_user'), to: `/users/${user_id}` }],
        }),
        touches: [consoleKeys.list('/admin/coupon/campaign/list')],
      }}
    />
  );
}
