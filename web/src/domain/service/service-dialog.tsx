import { ChevronRight, Headset, MessageCircle, UserRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import type { ServiceEntry } from '@/lib/api/types';
import { useSession } from '@/lib/session/use-session';
import { useStore } from '@/lib/use-store';
import { Sheet } from '@/ui/sheet';
import { Skeleton } from '@/ui/states';
import { contactAddress, isWebAddress } from './address';
import { EntryTimes } from './entry-times';
import styles from './service-dialog.module.css';
import { IN_APP, useServiceEntries } from './service-entries';
import { serviceStore } from './service-store';
import { useCaller } from './use-caller';

/** The contacts of customer service. Choosing one opens it and closes the dialog. */
export default function ServiceDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { token } = useSession();
  const navigate = useNavigate();
  const { variant, subject, subtitle, outside } = useStore(serviceStore);
  const caller = useCaller(subject ?? '');
  const entries = useServiceEntries(variant);
  const recharge = variant === 'recharge';
  const isInside = (entry: ServiceEntry) => entry.type === IN_APP && token !== null && !outside;

  return (
    <Sheet
      kind="dialog"
      isOpen={isOpen}
      onClose={onClose}
      title={t(recharge ? 'service.title_recharge' : 'service.title')}
      icon={<Headset size={32} />}
    >
      <p className={styles.lead}>{subtitle ?? t(recharge ? 'service.lead_recharge' : 'service.lead')}</p>
      {entries === undefined ? (
        <div role="status" aria-label={t('common.loading')}>
          <Skeleton height="3.5rem" />
        </div>
      ) : null}
      {entries?.length === 0 ? <p className={styles.empty}>{t('service.empty')}</p> : null}
      <ul className={styles.entries}>
        {entries?.map((entry, index) => {
          const Icon = entry.type === IN_APP ? UserRound : MessageCircle;
          const content = (
            <>
              <span className={styles.icon}>
                <Icon size={20} aria-hidden="true" />
              </span>
              <span className={styles.label}>
                {t('service.entry', { number: index + 1, label: entry.label })}
                <EntryTimes entry={entry} />
              </span>
              <ChevronRight size={18} aria-hidden="true" />
            </>
          );
          return (
            <li key={entry.id}>
              {isInside(entry) ? (
                <button
                  type="button"
                  className={styles.entry}
                  // Replaces the dialog's history entry, so that Back leads to the page below it.
                  onClick={() => navigate(customerPath(entry.url, subject), { replace: true })}
                >
                  {content}
                </button>
              ) : (
                <a
                  className={styles.entry}
                  href={isWebAddress(entry.url) ? contactAddress(entry.url, caller) : undefined}
                  target="_blank"
                  rel="noopener noreferrer"
                  onClick={onClose}
                >
                  {content}
                  <span className="visually-hidden">{t('service.new_tab')}</span>
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

/** The contact is named by its address as staff wrote it; the page fills it in. */
export function customerPath(url: string, subject = ''): string {
  return `/customer?${new URLSearchParams({ url, ...(subject ? { subject } : {}) })}`;
}
