import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { timeZoneName } from '@/lib/time-zone';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { UserLink } from '../../ui/user-link';
import { Audience } from './audience';
import { languagesThat, type NoticeDraft, nameOf } from './draft';
import { Fallbacks } from './fallbacks';
import { Previews } from './previews';
import styles from './review-step.module.css';

type Props = {
  draft: NoticeDraft;
  /** How many users an announcement that is edited has. */
  kept?: number;
  /** What sends it. */
  children: ReactNode;
};

/** The announcement and its recipients, before it is sent. */
export function ReviewStep({ draft, kept, children }: Props) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const written = languagesThat(draft, 'full');
  return (
    <div className={styles.step}>
      <Panel title={t('notices.steps.review')}>
        <Facts
          facts={[
            { label: t('notices.receivers'), value: <Receivers draft={draft} kept={kept ?? 0} /> },
            {
              label: t('notices.when'),
              value:
                draft.when === 'now'
                  ? t('notices.now')
                  : t('notices.at_zone', {
                      time: dateTime(new Date(draft.at).toISOString()),
                      zone: timeZoneName(),
                    }),
            },
            { label: t('notices.category'), value: t(`notices.categories.${draft.category}`) },
            { label: t('notices.written'), value: written.map(nameOf).join(', ') },
          ]}
        />
        <Fallbacks draft={draft} />
      </Panel>
      <Panel title={t('notices.preview')}>
        <Previews draft={draft} />
      </Panel>
      {children}
    </div>
  );
}

function Receivers({ draft: { to, users }, kept }: { draft: NoticeDraft; kept: number }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  if (to === 'kept') return t('notices.kept_users', { count: kept, formatted: integer(kept) });
  if (to === 'all')
    return (
      <>
        {t('notices.all')}. <Audience />
      </>
    );
  return (
    <ul className={styles.receivers}>
      {users.map(({ id, name }) => (
        <li key={id}>
          <UserLink id={id} name={name} />
        </li>
      ))}
    </ul>
  );
}
