import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { FileButton } from '../../ui/file-button';
import { Panel } from '../../ui/panel';
import styles from './batch-files.module.css';
import type { PaymentBatch } from './batch-state';

/** The files of a released batch. A file of ISO 20022 is for bank cards only. */
export function BatchFiles({ batch: { id, state, method } }: { batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const queryClient = useQueryClient();
  if (state !== 'released' && state !== 'paid') return null;
  const inAudit = () =>
    void queryClient.invalidateQueries({ queryKey: consoleKeys.list('/admin/audit/list') });
  return (
    <Panel title={t('payments.files')}>
      <p>{t('payments.files_text')}</p>
      <div className={styles.buttons}>
        {method === 'bank_card' && may('GET /admin/payment_batch/pain001') ? (
          <FileButton
            label={t('payments.pain001')}
            path="/admin/payment_batch/pain001"
            query={{ id }}
            name={`payments-${id}.xml`}
            type="application/xml"
            onDone={inAudit}
          />
        ) : null}
        {may('GET /admin/payment_batch/csv') ? (
          <FileButton
            label={t('payments.csv')}
            path="/admin/payment_batch/csv"
            query={{ id }}
            name={`payments-${id}.csv`}
            type="text/csv;charset=utf-8"
            onDone={inAudit}
          />
        ) : null}
      </div>
    </Panel>
  );
}
