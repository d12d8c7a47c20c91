import { useTranslation } from 'react-i18next';
import { Amount } from '../../ui/amount';
import { Code } from '../../ui/code';
import { Count } from '../../ui/count';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { StaffName } from '../../ui/staff-name';
import type { BankStatement } from './bank';
import { Days } from './days';

export function StatementFacts({ statement }: { statement: BankStatement }) {
  const { t } = useTranslation('console');
  return (
    <Panel title={t('bank.facts')}>
      <Facts
        facts={[
          { label: t('bank.days'), value: <Days of={statement} /> },
          { label: t('bank.format'), value: t(`bank.formats.${statement.format}`) },
          { label: t('bank.reference'), value: statement.reference ?? t('list.none') },
          { label: t('bank.uploaded_by'), value: <StaffName id={statement.uploaded_by} /> },
          { label: t('bank.uploaded_at'), value: <Moment at={statement.uploaded_at} /> },
          { label: t('bank.paid_in'), value: <Amount value={statement.paid_in} /> },
          { label: t('bank.lines'), value: <Count value={statement.lines} /> },
          {
            label: t('bank.known_lines'),
            value: <Count value={statement.known_lines} />,
            note: t('bank.known_note'),
          },
          { label: t('bank.counts.open'), value: <Count value={statement.open_lines} /> },
          { label: t('bank.counts.waiting'), value: <Count value={statement.waiting_lines} /> },
          { label: t('bank.counts.credited'), value: <Count value={statement.credited_lines} /> },
          { label: t('bank.counts.aside'), value: <Count value={statement.aside_lines} /> },
          { label: t('bank.sha256'), value: <Code text={statement.sha256} /> },
        ]}
      />
    </Panel>
  );
}
