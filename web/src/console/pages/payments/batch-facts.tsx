import { useTranslation } from 'react-i18next';
import { Amount } from '../../ui/amount';
import { Code } from '../../ui/code';
import { Count } from '../../ui/count';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { StaffName } from '../../ui/staff-name';
import { BatchState, type PaymentBatch } from './batch-state';

export function BatchFacts({ batch }: { batch: PaymentBatch }) {
  const { t } = useTranslation('console');
  const isDecided = batch.decided_by !== null;
  return (
    <Panel title={t('payments.facts')}>
      <Facts
        facts={[
          { label: t('payments.state'), value: <BatchState state={batch.state} /> },
          { label: t('payments.method'), value: t(`payments.methods.${batch.method}`) },
          { label: t('payments.count'), value: <Count value={batch.count} /> },
          { label: t('payments.paid_count'), value: <Count value={batch.paid_count} /> },
          { label: t('payments.payout'), value: <Amount value={batch.payout} /> },
          { label: t('payments.proposed_by'), value: <StaffName id={batch.proposed_by} /> },
          { label: t('payments.proposed_at'), value: <Moment at={batch.proposed_at} /> },
          { label: t('act.reason'), value: batch.reason ?? t('list.none') },
          ...(isDecided
            ? [
                {
                  label: t(batch.state === 'dissolved' ? 'payments.dissolved_by' : 'payments.released_by'),
                  value: <StaffName id={batch.decided_by} />,
                },
                { label: t('payments.decided_at'), value: <Moment at={batch.decided_at} /> },
              ]
            : []),
          { label: t('payments.id'), value: <Code text={batch.id} /> },
        ]}
      />
    </Panel>
  );
}
