import { useTranslation } from 'react-i18next';
import type { Column } from '../../table/list';
import type { ConsoleKey } from '../../texts/key';
import { Badge } from '../../ui/badge';
import { Code } from '../../ui/code';
import { Count } from '../../ui/count';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { type DeliveryImport, DeliveryState, FineAmount } from './decisions';

type CountName = 'read' | 'applied' | 'repeated' | 'restated' | 'rejected_count';
type Shown = { optional?: true };
const OPTIONAL = { optional: true } as const;

function count(name: CountName, header: ConsoleKey, shown: Shown = {}): Column<DeliveryImport> {
  return {
    id: name,
    header,
    width: 105,
    align: 'end',
    cell: (row) => <Known row={row} name={name} />,
    csv: (row) => (isKnown(row, name) ? row[name] : null),
    ...shown,
  };
}

function total(
  name: 'plans' | 'impressions' | 'clicks',
  header: ConsoleKey,
  shown: Shown = {},
): Column<DeliveryImport> {
  return {
    id: name,
    header,
    width: 110,
    align: 'end',
    cell: ({ totals }) => <Count value={totals[name]} />,
    csv: ({ totals }) => totals[name],
    ...shown,
  };
}

function money(name: 'spend' | 'revenue', header: ConsoleKey): Column<DeliveryImport> {
  return {
    id: name,
    header,
    width: 110,
    align: 'end',
    cell: ({ totals }) => <FineAmount value={totals[name]} />,
    csv: ({ totals }) => totals[name],
  };
}

export const IMPORT_COLUMNS: readonly Column<DeliveryImport>[] = [
  { id: 'at', header: 'delivery.at', width: 140, cell: ({ at }) => <Moment at={at} />, csv: ({ at }) => at },
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
    width: 130,
    cell: (row) => <State row={row} />,
    csv: ({ state }) => state,
  },
  count('read', 'delivery.read'),
  count('applied', 'delivery.applied'),
  count('repeated', 'delivery.repeated'),
  count('restated', 'delivery.restated'),
  count('rejected_count', 'delivery.bad'),
  {
    id: 'notable',
    header: 'delivery.notable',
    width: 110,
    align: 'end',
    cell: ({ notable }) => <Count value={notable.length} />,
    csv: ({ notable }) => notable.map(({ rule }) => rule).join(' '),
  },
  total('plans', 'delivery.plans', OPTIONAL),
  total('impressions', 'delivery.impressions', OPTIONAL),
  total('clicks', 'delivery.clicks', OPTIONAL),
  money('spend', 'delivery.spend'),
  money('revenue', 'delivery.revenue'),
  {
    id: 'by',
    header: 'delivery.by',
    width: 300,
    optional: true,
    cell: ({ by }) => <StaffName id={by} />,
    csv: ({ by }) => by,
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
    id: 'decided_by',
    header: 'delivery.decided_by',
    width: 300,
    optional: true,
    cell: (row) => <StaffName id={row.decided_by} />,
    csv: (row) => row.decided_by,
  },
  {
    id: 'reason',
    header: 'act.reason',
    width: 220,
    optional: true,
    cell: ({ reason }) => reason,
    csv: ({ reason }) => reason,
  },
  {
    id: 'signed_by',
    header: 'delivery.signed_by',
    width: 220,
    optional: true,
    cell: (row) => <Code text={row.signed_by} />,
    csv: (row) => row.signed_by,
  },
  {
    id: 'sha256',
    header: 'delivery.sha256',
    width: 300,
    optional: true,
    cell: (row) => <Code text={row.sha256} />,
    csv: (row) => row.sha256,
  },
  {
    id: 'id',
    header: 'delivery.import_id',
    width: 300,
    optional: true,
    cell: (row) => <Code text={row.import_id} />,
    csv: (row) => row.import_id,
  },
];

/** What becomes of a proposed file's rows shows only once they are taken. */
function isKnown({ state }: DeliveryImport, name: CountName): boolean {
  return state !== 'proposed' || name === 'read';
}

function Known({ row, name }: { row: DeliveryImport; name: CountName }) {
  const { t } = useTranslation('console');
  return isKnown(row, name) ? <Count value={row[name]} /> : t('list.none');
}

function State({ row }: { row: DeliveryImport }) {
  const { t } = useTranslation('console');
  return (
    <>
      <DeliveryState state={row.state} />
      {row.under_way ? <Badge tone="info">{t('delivery.under_way')}</Badge> : null}
    </>
  );
}
