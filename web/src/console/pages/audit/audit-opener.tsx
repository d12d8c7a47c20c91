import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Button } from '@/ui/button';
import { CopyableCode } from '@/ui/copyable-code';
import { openDialog } from '../../act/dialog-host';
import { Dialog, DialogActions } from '../../ui/dialog';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import type { AuditEntry } from './audit';
import styles from './audit-opener.module.css';
import { ComparisonTable } from './comparison-table';

/** The action of an entry, which opens the whole entry. */
export function AuditOpener({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('console');
  const { action, staff } = entry;
  return (
    <button
      type="button"
      className={styles.action}
      aria-label={t('audit.open_entry', { action, staff: staff.username })}
      onClick={() => openDialog((close) => <Entry entry={entry} onClose={close} />)}
    >
      {action}
    </button>
  );
}

function Entry({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { t } = useTranslation('console');
  const { action, staff, time, target, user_id: userId, reason, request_id: requestId } = entry;
  return (
    <Dialog title={t('audit.entry')} onClose={onClose} wide>
      <Facts
        facts={[
          { label: t('audit.action'), value: <span className="mono">{action}</span> },
          { label: t('audit.staff'), value: staff.username },
          { label: t('audit.time'), value: <Moment at={time} /> },
          { label: t('audit.target'), value: <CopyableCode text={target} label={copyLabel('target')} /> },
          ...(userId === null
            ? []
            : [{ label: t('audit.user'), value: <UserLink id={userId} name={null} /> }]),
          {
            label: t('audit.request_id'),
            value: <CopyableCode text={requestId} label={copyLabel('request_id')} />,
          },
        ]}
      />
      <section>
        <h3 className={styles.heading}>{t('audit.reason')}</h3>
        <p className={styles.reason}>{reason ?? t('audit.no_reason')}</p>
      </section>
      <section>
        <h3 className={styles.heading}>{t('audit.what_changed')}</h3>
        <ComparisonTable before={entry.before} after={entry.after} />
      </section>
      <nav className={styles.more} aria-label={t('audit.more')}>
        <span>{t('audit.more')}</span>
        <Link to={`/audit?staff_id=${staff.id}`} onClick={onClose}>
          {t('audit.of_staff')}
        </Link>
        {userId === null ? null : (
          <Link to={`/audit?user_id=${userId}`} onClick={onClose}>
            {t('audit.of_user')}
          </Link>
        )}
        <Link to={`/audit?action=${encodeURIComponent(action)}`} onClick={onClose}>
          {t('audit.of_action')}
        </Link>
      </nav>
      <DialogActions>
        <Button onClick={onClose}>{t('act.close')}</Button>
      </DialogActions>
    </Dialog>
  );

  function copyLabel(what: 'target' | 'request_id'): string {
    return t('list.copy', { what: t(`audit.${what}`) });
  }
}
