import { UserPen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import styles from './claim-mark.module.css';
import { useRowClaim } from './claimed-rows';

/** Who else works on a row; nothing if nobody does. */
export function ClaimMark({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const { recent } = useFormats();
  const claim = useRowClaim(id);
  if (!claim) return null;
  const name = claim.staff.username;
  return (
    <span className={styles.mark} title={t('claim.note', { name, time: recent(claim.claimed_at) })}>
      <UserPen size={14} aria-hidden="true" />
      <span className="visually-hidden">{t('claim.in_work_by')} </span>
      {name}
    </span>
  );
}
