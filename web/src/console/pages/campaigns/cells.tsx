import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { useStaff } from '../../session/use-staff';
import { Badge, type Tone } from '../../ui/badge';
import styles from './cells.module.css';

type Campaign = components['schemas']['Campaign'];
type Props = { campaign: Campaign };

const TONES = {
  proposed: 'waiting',
  released: 'good',
  rejected: 'bad',
} as const satisfies Record<Campaign['state'], Tone>;

export function CampaignState({ campaign: { state, created_by } }: Props) {
  const { t } = useTranslation('console');
  const own = useStaff();
  return (
    <>
      <Badge tone={TONES[state]}>{t(`campaigns.states.${state}`)}</Badge>
      {state === 'proposed' && created_by === own.id ? (
        <span className={styles.note}>{t('campaigns.own_proposal')}</span>
      ) : null}
    </>
  );
}

export function Value({ campaign }: Props) {
  return useValueText()(campaign);
}

/** What a coupon is worth, in words: `10% off the payment`. */
export function useValueText(): (coupon: Pick<Campaign, 'mode' | 'value'>) => string {
  const { t } = useTranslation('console');
  const { money } = useFormats();
  return ({ mode, value }) =>
    t(`campaigns.values.${mode}`, { value: mode === 'discount' ? value : money(value) });
}

export function Type({ campaign }: Props) {
  const { t } = useTranslation('console');
  return t(`campaigns.types.${campaign.type}`);
}

export function Kind({ campaign }: Props) {
  const { t } = useTranslation('console');
  return t(`campaigns.kinds.${campaign.kind}`);
}

export function Claimed({ campaign: { claimed, total } }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return (
    <span className="figure">
      {total === null
        ? t('campaigns.claimed_unlimited', { claimed: integer(claimed) })
        : t('campaigns.claimed_of', { claimed: integer(claimed), total: integer(total) })}
    </span>
  );
}

type ClaimWindowProps = { campaign: Pick<Campaign, 'starts_at' | 'ends_at'> };

/** From when until when the coupons can be claimed. */
export function ClaimWindow({ campaign: { starts_at, ends_at } }: ClaimWindowProps) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  if (starts_at === null && ends_at === null) return t('campaigns.always');
  return t('campaigns.window_of', {
    from: starts_at === null ? t('campaigns.at_once') : moment(starts_at),
    to: ends_at === null ? t('campaigns.no_end') : moment(ends_at),
  });
}

export function Days({ campaign }: Props) {
  const { t } = useTranslation('console');
  return t('campaigns.days', { count: campaign.valid_days });
}
