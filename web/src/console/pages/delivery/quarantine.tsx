import { useTranslation } from 'react-i18next';
import type { Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay, useStaff } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { useFilters } from '../../table/use-filters';
import { useList } from '../../table/use-list';
import { DecideReport } from './decide-report';
import { QUARANTINE_STATES, type QuarantinedReport } from './decisions';
import { QUARANTINE_COLUMNS } from './quarantine-columns';
import { ReportDetails } from './report-details';
import { TickedBar } from './ticked-bar';
import { Ticks, useTicks } from './ticks';

const LIST: List<'/admin/delivery/quarantine/list'> = {
  path: '/admin/delivery/quarantine/list',
  rowId: ({ id }) => id,
  rowName: (row) => `${row.plan_number}, ${row.report_id}`,
  empty: 'delivery.no_quarantine',
  filters: [
    {
      name: 'state',
      label: 'delivery.state',
      kind: 'choice',
      initial: 'waiting',
      options: QUARANTINE_STATES.map((value) => ({ value, label: `delivery.states.${value}` })),
    },
  ],
  columns: QUARANTINE_COLUMNS,
};

/** Reports that the gate holds back until staff decide. */
export default function QuarantinePage() {
  const { t } = useTranslation('console');
  const ticks = useTicks();
  const filters = useFilters(LIST);
  const shown = useList(LIST.path, filters.query).data ?? NONE;
  return (
    <Ticks value={ticks}>
      <ListPage title={t('delivery.quarantine_title')} list={LIST} rowActs={reportActs}>
        <TickedBar shown={shown} />
      </ListPage>
    </Ticks>
  );
}

const NONE: readonly QuarantinedReport[] = [];

/** The same function for each drawing, so that a tick draws no rows anew. */
const reportActs = (report: QuarantinedReport) => <RowActs report={report} />;

function RowActs({ report }: { report: QuarantinedReport }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const { id } = useStaff();
  const name = LIST.rowName(report);
  const { state } = report;
  const isOpen =
    (state === 'waiting' || state === 'approved') && may('POST /admin/delivery/quarantine/decide');
  const offered: (Offered | false)[] = [
    {
      id: 'see',
      label: t('delivery.see'),
      dialog: (close) => <ReportDetails report={report} onClose={close} />,
    },
    // Who released it first is not the second one.
    isOpen &&
      report.approved_by !== id && {
        id: 'released',
        label: t('delivery.release'),
        dialog: (close) => <DecideReport report={report} decision="released" onClose={close} />,
      },
    isOpen && {
      id: 'rejected',
      label: t('delivery.reject'),
      tone: 'danger',
      dialog: (close) => <DecideReport report={report} decision="rejected" onClose={close} />,
    },
  ];
  return <RowMenu name={name} offered={offered.filter((act) => act !== false)} />;
}
