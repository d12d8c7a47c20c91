import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { timeZoneName } from '@/lib/time-zone';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';
import { Audience } from './audience';
import { languagesThat, type NoticeDraft, nameOf } from './draft';
import { Fallbacks } from './fallbacks';
import { Previews } from './previews';
import { Receivers } from './receivers';
import styles from './review-step.module.css';

type Props = {
  draft: NoticeDraft;
  /** What sends it. */
  children: ReactNode;
};

/** The announcement and its recipients, before it is sent. */
export function ReviewStep({ draft, children }: Props) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const written = languagesThat(draft, 'full');
  return (
    <div className={styles.step}>
      <Panel title={t('notices.steps.review')}>
        <Facts
          facts={[
            {
              label: t('notices.receivers'),
              value: draft.to === 'all' ? <All /> : <Receivers users={draft.users} />,
            },
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

function All() {
  const { t } = useTranslation('console');
  return (
    <>
      {t('notices.all')}. <Audience />
    </>
  );
}
