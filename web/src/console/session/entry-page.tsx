import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { LogoMark } from '@/ui/logo';
import styles from './entry-page.module.css';

type Props = {
  title: string;
  intro: string;
  onSubmit: () => void;
  /** Another way in, below the form. */
  otherWay?: ReactNode;
  children: ReactNode;
};

/** A page before the console itself: one card with one form. */
export function EntryPage({ title, intro, onSubmit, otherWay, children }: Props) {
  const { t } = useTranslation('console');
  const name = t('frame.name');
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <LogoMark />
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.intro}>{intro}</p>
        <form
          className={styles.form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {children}
        </form>
        {otherWay}
      </div>
    </main>
  );
}
