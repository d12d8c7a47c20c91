import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Amount } from '../../ui/amount';
import { Badge, type Tone } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { UserLink } from '../../ui/user-link';
import { DecideApproval } from './decide-approval';

export type Approval = components['schemas']['Approval'];

const STATES = ['pending', 'approved', 'rejected', 'expired', 'failed'] as const;
const TONES = {
  pending: 'waiting',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
  failed: 'bad',
} as const satisfies Record<Approval['state'], Tone>;

const LIST: List<'/admin/approval/list'> = {
  path: '/admin/approval/list',
  claims: { kind: 'approval', id: ({ id }) => id },
  rowId: ({ id }) => id,
  rowName: ({ action, amount, user_id }) => `${action}, ${amount}, ${user_id}`,
  empty: 'approvals.empty',
  filters: [
    {
      name: 'state',
      label: 'approvals.state',
      kind: 'choice',
      initial: 'pending',
      options: STATES.map((value) => ({ value, label: `approvals.states.${value}` })),
    },
  ],
  columns: [
    {
      id: 'action',
      header: 'approvals.action',
      width: 180,
      cell: ({ action }) => <Action action={action} />,
      csv: ({ action }) => action,
    },
    {
      id: 'amount',
      header: 'approvals.amount',
      width: 120,
      align: 'end',
      cell: ({ amount }) => <Amount value={amount} />,
      csv: ({ amount }) => amount,
    },
    {
      id: 'user',
      header: 'approvals.user',
      width: 200,
      cell: (approval) => <UserLink id={approval.user_id} name={null} />,
      csv: (approval) => approval.user_id,
    },
    {
      id: 'requested_by',
      header: 'approvals.requested_by',
      width: 140,
      cell: (approval) => <StaffName id={approval.requested_by} />,
      csv: (approval) => approval.requested_by,
    },
    {
      id: 'request_reason',
      header: 'approvals.request_reason',
      width: 200,
      cell: (approval) => approval.request_reason ?? approval.remark,
      csv: (approval) => approval.request_reason ?? approval.remark,
    },
    {
      id: 'requested_at',
      header: 'approvals.requested_at',
      width: 140,
      cell: (approval) => <Moment at={approval.requested_at} />,
      csv: (approval) => approval.requested_at,
    },
    {
      id: 'expires_at',
      header: 'approvals.expires_at',
      width: 140,
      cell: (approval) => <Moment at={approval.expires_at} />,
      csv: (approval) => approval.expires_at,
    },
    {
      id: 'state',
      header: 'approvals.state',
      width: 110,
      cell: (approval) => <State approval={approval} />,
      csv: ({ state }) => state,
    },
    {
      id: 'decided_by',
      header: 'approvals.decided_by',
      width: 140,
      optional: true,
      cell: (approval) => <StaffName id={approval.decided_by} />,
      csv: (approval) => approval.decided_by,
    },
    {
      id: 'decided_at',
      header: 'approvals.decided_at',
      width: 140,
      optional: true,
      cell: (approval) => <Moment at={approval.decided_at} />,
      csv: (approval) => approval.decided_at,
    },
    {
      id: 'failure',
      header: 'approvals.failure',
      width: 180,
      optional: true,
      cell: ({ failure }) => failure,
      csv: ({ failure }) => failure,
    },
  ],
};

/** What one member of staff has asked for and another must decide. */
export default function ApprovalsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (approval: Approval) => <RowActs approval={approval} />;
  return (
    <ListPage
      title={t('approvals.title')}
      list={LIST}
      {...(may('POST /admin/approval/decide') ? { rowActs: acts } : {})}
    >
      <p>{t('approvals.intro')}</p>
    </ListPage>
  );
}

function Action({ action }: { action: Approval['action'] }) {
  const { t } = useTranslation('console');
  return t(`approvals.actions.${action}`);
}

function State({ approval }: { approval: Approval }) {
  const { t } = useTranslation('console');
  return <Badge tone={TONES[approval.state]}>{t(`approvals.states.${approval.state}`)}</Badge>;
}

function RowActs({ approval }: { approval: Approval }) {
  const { t } = useTranslation('console');
  if (approval.state !== 'pending') return null;
  const name = `${t(`approvals.actions.${approval.action}`)}, ${approval.amount}`;
  const decide = (decision: 'approved' | 'rejected') => (close: () => void) => (
    <DecideApproval approval={approval} decision={decision} onClose={close} />
  );
  return (
    <RowMenu
      name={name}
      offered={[
        { id: 'approved', label: t('approvals.approve'), dialog: decide('approved') },
        { id: 'rejected', label: t('approvals.reject'), tone: 'danger', dialog: decide('rejected') },
      ]}
    />
  );
}
