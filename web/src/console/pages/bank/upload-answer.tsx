import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { StaffName } from '../../ui/staff-name';
import { FaultTable } from './fault-table';
import { lackingColumns, type Mapping } from './mapping';
import { MappingForm } from './mapping-form';
import type { BankUpload } from './upload';

type Props = {
  answer: BankUpload;
  /** Whether the file was sent with a mapping. */
  isMapped: boolean;
  isBusy: boolean;
  onMapping: (mapping: Mapping) => void;
};

/** What keeps a file from being a new statement: it is there already, its columns are unknown, or it has faults. */
export function UploadAnswer({ answer, isMapped, isBusy, onMapping }: Props) {
  const { t } = useTranslation('console');
  const { statement, repeated, faults, columns } = answer;
  if (statement) {
    if (!repeated) return null;
    return (
      <Panel title={t('bank.repeated_title')}>
        <p role="status">{t('bank.repeated_text')}</p>
        <Facts
          facts={[
            { label: t('bank.name'), value: statement.name },
            { label: t('bank.uploaded_by'), value: <StaffName id={statement.uploaded_by} /> },
            { label: t('bank.uploaded_at'), value: <Moment at={statement.uploaded_at} /> },
          ]}
        />
        <div>
          <LinkButton to={`/bank/${statement.id}`}>{t('bank.see_statement')}</LinkButton>
        </div>
      </Panel>
    );
  }
  const lacking = lackingColumns(answer);
  return (
    <>
      {lacking.length > 0 ? null : (
        <Panel title={t('bank.faults_title')}>
          <p role="alert">{t('bank.faults_text', { count: faults.length })}</p>
          <FaultTable faults={faults} />
        </Panel>
      )}
      {lacking.length > 0 || (isMapped && columns.length > 0) ? (
        <Panel title={t('bank.columns_title')}>
          <MappingForm
            key={columns.join('\n')}
            columns={columns}
            lacking={lacking}
            isBusy={isBusy}
            onMapping={onMapping}
          />
        </Panel>
      ) : null}
    </>
  );
}
