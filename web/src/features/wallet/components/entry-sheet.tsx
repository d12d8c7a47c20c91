import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { Row, Rows } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { Money } from '@/ui/money';
import { Sheet } from '@/ui/sheet';
import styles from '../pages/fund-details.module.css';
import { targetOf } from '../rules';

type Props = { entry: FlowEntry; isOpen: boolean; onClose: () => void };

/** Everything about one movement: what it was, what it left, what it belongs to, and its place in the hash chain. */
export function EntrySheet({ entry, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const target = targetOf(entry);
  return (
    <Sheet isOpen={isOpen} onClose={onClose} title={t('flow.detail_title')}>
      <div className={styles.entry}>
        <div className={styles.entryAmount}>
          <p>{t(`flow.${entry.type}`)}</p>
          <strong>
            <Money value={entry.amount} signed="movement" />
          </strong>
        </div>
        <Rows>
          <Row label={t('flow.time')}>
            <time dateTime={entry.time}>{dateTime(entry.time)}</time>
          </Row>
          <Row label={t('flow.changed_account')}>{t(`flow.account.${entry.account}`)}</Row>
          <Row label={t('flow.balance_after')}>
            <Money value={entry.balance_after} />
          </Row>
          <Row label={t('flow.remark')}>{entry.remark || t('flow.no_remark')}</Row>
          {target ? (
            <Row label={t('flow.reference')}>
              <Link className={styles.entryLink} to={target.to} replace>
                {t(`flow.${target.label}`)}
              </Link>
            </Row>
          ) : null}
          <Code label={t('flow.id')} text={entry.id} copyLabel={t('flow.copy_id')} />
          <Code label={t('flow.hash')} text={entry.hash} copyLabel={t('flow.copy_hash')} />
        </Rows>
        <p className={styles.hint}>{t('flow.hash_hint')}</p>
      </div>
    </Sheet>
  );
}

function Code({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <Row label={label} text>
      <span className={styles.code}>
        <code>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </span>
    </Row>
  );
}
