import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { BigAmount } from '@/ui/big-amount';
import { Row, Rows } from '@/ui/card';
import { CopyableCode } from '@/ui/copyable-code';
import { Money } from '@/ui/money';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { targetOf } from '../rules';
import styles from './entry-sheet.module.css';

type Props = { entry: FlowEntry; isOpen: boolean; onClose: () => void };

/** The details of a movement: type, resulting balance, reference, and its place in the hash chain. */
export function EntrySheet({ entry, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const target = targetOf(entry);
  return (
    <Sheet isOpen={isOpen} onClose={onClose} title={t('flow.detail_title')}>
      <div className={stack.gap3}>
        <BigAmount label={t(`flow.${entry.type}`)}>
          <Money value={entry.amount} signed="movement" />
        </BigAmount>
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
          <Row label={t('flow.id')} text>
            <CopyableCode text={entry.id} label={t('flow.copy_id')} />
          </Row>
          <Row label={t('flow.hash')} text>
            <CopyableCode text={entry.hash} label={t('flow.copy_hash')} />
          </Row>
        </Rows>
        <p className={styles.hint}>{t('flow.hash_hint')}</p>
      </div>
    </Sheet>
  );
}
