import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import stack from '@/ui/stack.module.css';
import { Code } from '../../ui/code';
import { Count } from '../../ui/count';
import { Dialog, DialogActions } from '../../ui/dialog';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { PlainTable } from '../../ui/plain-table';
import { StaffName } from '../../ui/staff-name';
import { DeliveryState, FineAmount, type QuarantinedReport } from './decisions';
import { useFinding } from './findings';

type Props = { report: QuarantinedReport };

/** A report in quarantine, with what is wrong about it and what became of it. */
export function ReportDetails({ report, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <Dialog title={t('delivery.report_of', { number: report.plan_number })} onClose={onClose} wide>
      <div className={stack.gap4}>
        <ReportFacts report={report} />
        <Facts
          facts={[
            { label: t('delivery.at'), value: <Moment at={report.at} /> },
            { label: t('delivery.import_id'), value: <Code text={report.import_id} /> },
            { label: t('delivery.line'), value: <Count value={report.line} /> },
            { label: t('delivery.approved_by'), value: <StaffName id={report.approved_by} /> },
            { label: t('delivery.decided_by'), value: <StaffName id={report.decided_by} /> },
            { label: t('delivery.decided_at'), value: <Moment at={report.decided_at} /> },
            { label: t('act.reason'), value: report.reason || t('list.none') },
            { label: t('delivery.outcome'), value: report.outcome ?? t('list.none') },
          ]}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{t('act.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** What it says, and which rules it breaks. */
export function ReportFacts({ report }: Props) {
  const { t } = useTranslation('console');
  const textOf = useFinding();
  return (
    <>
      <Facts
        facts={[
          { label: t('delivery.state'), value: <DeliveryState state={report.state} /> },
          { label: t('delivery.source'), value: report.source },
          { label: t('delivery.plan_number'), value: <Code text={report.plan_number} /> },
          { label: t('delivery.placement'), value: report.placement ?? t('list.none') },
          { label: t('delivery.report_id'), value: <Code text={report.report_id} /> },
          { label: t('delivery.revision'), value: <Count value={report.revision} /> },
          { label: t('delivery.time'), value: <Moment at={report.time} /> },
          { label: t('delivery.impressions'), value: <Count value={report.impressions} /> },
          { label: t('delivery.clicks'), value: <Count value={report.clicks} /> },
          { label: t('delivery.spend'), value: <FineAmount value={report.spend} /> },
          { label: t('delivery.revenue'), value: <FineAmount value={report.revenue} /> },
        ]}
      />
      <h3>{t('delivery.findings_title')}</h3>
      <PlainTable
        label={t('delivery.findings_title')}
        rows={report.findings}
        rowKey={({ rule }, index) => `${rule} ${index}`}
        columns={[
          { id: 'rule', header: t('delivery.rule'), cell: ({ rule }) => textOf(rule) },
          { id: 'detail', header: t('delivery.detail'), cell: ({ detail }) => detail },
          { id: 'value', header: t('delivery.measured'), align: 'end', cell: ({ value }) => measured(value) },
          { id: 'limit', header: t('delivery.limit'), align: 'end', cell: ({ limit }) => measured(limit) },
          {
            id: 'name',
            header: t('delivery.rule_name'),
            cell: ({ rule, version }) => (
              <span className="mono">{t('delivery.rule_version', { rule, version })}</span>
            ),
          },
        ]}
      />
    </>
  );
}

/** Probabilities may be tiny: three digits, in whatever notation is shorter. */
function measured(value: number): string {
  return String(Number(value.toPrecision(3)));
}
