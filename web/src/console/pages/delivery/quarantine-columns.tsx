import type { Column } from '../../table/list';
import { Code } from '../../ui/code';
import { Count } from '../../ui/count';
import { Moment } from '../../ui/moment';
import { DeliveryState, FineAmount, type QuarantinedReport } from './decisions';
import { useFinding } from './findings';
import { ReportTick } from './report-tick';

export const QUARANTINE_COLUMNS: readonly Column<QuarantinedReport>[] = [
  {
    id: 'at',
    header: 'delivery.at',
    width: 175,
    cell: (row) => <Arrival report={row} />,
    csv: ({ at }) => at,
  },
  {
    id: 'source',
    header: 'delivery.source',
    width: 120,
    cell: ({ source }) => source,
    csv: ({ source }) => source,
  },
  {
    id: 'state',
    header: 'delivery.state',
    width: 110,
    cell: ({ state }) => <DeliveryState state={state} />,
    csv: ({ state }) => state,
  },
  {
    id: 'findings',
    header: 'delivery.findings_title',
    width: 260,
    cell: (row) => <FindingTexts row={row} />,
    csv: ({ findings }) => findings.map(({ rule }) => rule).join(' '),
  },
  {
    id: 'plan',
    header: 'delivery.plan_number',
    width: 150,
    cell: (row) => <Code text={row.plan_number} />,
    csv: (row) => row.plan_number,
  },
  {
    id: 'time',
    header: 'delivery.time',
    width: 140,
    cell: ({ time }) => <Moment at={time} />,
    csv: ({ time }) => time,
  },
  {
    id: 'impressions',
    header: 'delivery.impressions',
    width: 110,
    align: 'end',
    cell: ({ impressions }) => <Count value={impressions} />,
    csv: ({ impressions }) => impressions,
  },
  {
    id: 'clicks',
    header: 'delivery.clicks',
    width: 90,
    align: 'end',
    cell: ({ clicks }) => <Count value={clicks} />,
    csv: ({ clicks }) => clicks,
  },
  {
    id: 'spend',
    header: 'delivery.spend',
    width: 100,
    align: 'end',
    cell: ({ spend }) => <FineAmount value={spend} />,
    csv: ({ spend }) => spend,
  },
  {
    id: 'revenue',
    header: 'delivery.revenue',
    width: 100,
    align: 'end',
    cell: ({ revenue }) => <FineAmount value={revenue} />,
    csv: ({ revenue }) => revenue,
  },
  {
    id: 'placement',
    header: 'delivery.placement',
    width: 160,
    optional: true,
    cell: ({ placement }) => placement,
    csv: ({ placement }) => placement,
  },
  {
    id: 'report_id',
    header: 'delivery.report_id',
    width: 160,
    optional: true,
    cell: (row) => <Code text={row.report_id} />,
    csv: (row) => row.report_id,
  },
  {
    id: 'decided_at',
    header: 'delivery.decided_at',
    width: 150,
    optional: true,
    cell: (row) => <Moment at={row.decided_at} />,
    csv: (row) => row.decided_at,
  },
  {
    id: 'reason',
    header: 'act.reason',
    width: 200,
    optional: true,
    cell: ({ reason }) => reason,
    csv: ({ reason }) => reason,
  },
  {
    id: 'outcome',
    header: 'delivery.outcome',
    width: 160,
    optional: true,
    cell: ({ outcome }) => outcome,
    csv: ({ outcome }) => outcome,
  },
  {
    id: 'id',
    header: 'delivery.report',
    width: 300,
    optional: true,
    cell: ({ id }) => <Code text={id} />,
    csv: ({ id }) => id,
  },
];

/** When it came, and the tick by which it is decided together with others. */
function Arrival({ report }: { report: QuarantinedReport }) {
  return (
    <>
      <ReportTick report={report} />
      <Moment at={report.at} />
    </>
  );
}

function FindingTexts({ row }: { row: QuarantinedReport }) {
  const textOf = useFinding();
  return (
    <ul>
      {row.findings.map(({ rule }) => (
        <li key={rule}>{textOf(rule)}</li>
      ))}
    </ul>
  );
}
