import { UserPen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import styles from './claim-note.module.css';
import type { Item } from './hold';
import { useClaim } from './use-claim';

/** Claims the item of a dialog while it is open, and says who else works on it. It blocks nobody. */
export function ClaimNote({ kind, id }: Item) {
  const { t } = useTranslation('console');
  const { recent } = useFormats();
  const claim = useClaim(kind, id);
  return (
    <div role="status">
      {claim ? (
        <p className={styles.note}>
          <UserPen size={18} aria-hidden="true" />
          <span>{t('claim.note', { name: claim.staff.username, time: recent(claim.claimed_at) })}</span>
        </p>
      ) : null}
    </div>
  );
}
