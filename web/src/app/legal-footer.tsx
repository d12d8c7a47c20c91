import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useBasicConfig } from '@/domain/basic-config';
import { cx } from '@/ui/cx';
import styles from './legal-footer.module.css';

/** Links to the legal texts that staff have written. */
export function LegalFooter({ onPhones }: { onPhones: boolean }) {
  const { t } = useTranslation();
  // The browser's copy may be from an older version.
  const names = useBasicConfig().data?.legal ?? [];
  return (
    <footer className={cx(styles.footer, onPhones && styles.onPhones)}>
      {names.map((name) => (
        <Link key={name} to={`/legal/${name}`}>
          {t(`legal.${name}`)}
        </Link>
      ))}
    </footer>
  );
}
