import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { PlanName } from '@/domain/flow/plan-name';
import { wordOf } from '@/domain/flow/words';
import { propertyQuery } from '@/domain/property';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { BigAmount } from '@/ui/big-amount';
import { Row, Rows } from '@/ui/card';
import { CopyableCode } from '@/ui/copyable-code';
import { Money } from '@/ui/money';
import { ShareButton } from '@/ui/share-button';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { targetOf } from '../rules';
import styles from './entry-sheet.module.css';

type Props = { entry: FlowEntry; isOpen: boolean; onClose: () => void };

export function EntrySheet({ entry, isOpen, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Sheet isOpen={isOpen} onClose={onClose} title={t('flow.detail_title')}>
      <EntryFacts entry={entry} />
    </Sheet>
  );
}

/** The details of a movement: type, resulting balance, reference, and its place in the hash chain. */
export function EntryFacts({ entry }: { entry: FlowEntry }) {
  const { t } = useTranslation();
  const { dateTime, signedMoney } = useFormats();
  const target = targetOf(entry);
  const currency = useQuery(propertyQuery).data?.currency;
  const receipt = [
    `${t('common.app_name')} · ${t('flow.receipt')}`,
    `${t(wordOf(entry))}: ${[signedMoney(entry.amount), currency].filter(Boolean).join(' ')}`,
    `${t('flow.time')}: ${dateTime(entry.time)}`,
    entry.plan ? `${t('flow.reference')}: ${entry.plan.product} · ${entry.plan.plan_number}` : null,
    `${t('flow.id')}: ${entry.id}`,
    `${t('flow.hash')}: ${entry.hash}`,
  ].filter((line) => line !== null);
  return (
    <div className={stack.gap3}>
      <BigAmount label={t(wordOf(entry))}>
        <Money value={entry.amount} signed="movement" currency={currency} />
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
              {target.label === 'see_plan' ? <PlanName plan={entry.plan} /> : t(`flow.${target.label}`)}
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
      <ShareButton label={t('flow.share')} title={t('flow.receipt')} text={receipt.join('\n')} />
    </div>
  );
}
