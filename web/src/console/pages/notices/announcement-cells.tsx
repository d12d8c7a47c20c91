import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Badge, type Tone } from '../../ui/badge';
import { Count } from '../../ui/count';
import { Moment } from '../../ui/moment';
import type { Announcement } from './edit';

export const ANNOUNCEMENT_STATES = ['scheduled', 'published', 'withdrawn'] as const;

const TONES = {
  scheduled: 'waiting',
  published: 'good',
  withdrawn: 'neutral',
} as const satisfies Record<Announcement['state'], Tone>;

type Props = { announcement: Announcement };

export function AnnouncementState({ announcement: { state } }: Props) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[state]}>{t(`notices.states.${state}`)}</Badge>;
}

/** The title as most of staff read it. */
export function titleOf({ title, id }: Announcement): string {
  return title.en ?? Object.values(title)[0] ?? id;
}

export function RecipientsOf({ announcement: { to, recipients } }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return to === 'all'
    ? t('notices.all')
    : t('notices.users', { count: recipients, formatted: integer(recipients) });
}

/** When users got it, or will; nothing for what they never get. */
export function PublishedAt({ announcement: { state, published_at, publish_at } }: Props) {
  const { t } = useTranslation('console');
  if (published_at) return <Moment at={published_at} />;
  return state === 'scheduled' ? <Moment at={publish_at} /> : t('list.none');
}

export function Reached({ announcement: { reached, state } }: Props) {
  const { t } = useTranslation('console');
  if (reached !== null) return <Count value={reached} />;
  return t(state === 'published' ? 'notices.counting' : 'list.none');
}
