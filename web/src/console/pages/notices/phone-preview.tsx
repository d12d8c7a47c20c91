import { Gift, Megaphone, Wrench } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { htmlLangOf, type LanguageCode } from '@/i18n/languages';
import type { NoticeDraft } from './draft';
import styles from './phone-preview.module.css';

const ICONS = { announcement: Megaphone, maintenance: Wrench, activity: Gift } as const;

/** The announcement as the app's list shows it, unread and unfolded. */
export function PhonePreview({ draft, language }: { draft: NoticeDraft; language: LanguageCode }) {
  const { t } = useTranslation('console');
  const { category, title, content } = draft;
  const Icon = ICONS[category];
  return (
    <div className={styles.phone}>
      <article className={styles.item} lang={htmlLangOf(language)}>
        <div className={styles.row}>
          <span className={styles.icon}>
            <Icon size={20} aria-hidden="true" />
          </span>
          <span className={styles.title}>{title[language]?.trim() || t('notices.preview_empty_title')}</span>
          <span className={styles.dot} aria-hidden="true" />
          <span className={styles.meta}>
            {t(`notices.categories.${category}`)} · {t('notices.preview_time')}
          </span>
        </div>
        <p className={styles.content}>{content[language]?.trim() || t('notices.preview_empty_content')}</p>
      </article>
    </div>
  );
}
