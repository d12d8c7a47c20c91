import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './page-head.module.css';

/** The heading of a page, which is also the title of its tab, with what can be done there. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }) {
  const { t } = useTranslation('console');
  const name = t('frame.name');
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  return (
    <header className={styles.head}>
      <h1 className={styles.title}>{title}</h1>
      {children ? <div className={styles.actions}>{children}</div> : null}
    </header>
  );
}
