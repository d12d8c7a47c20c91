import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import { columnsOf } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge, type Tone } from '../../ui/badge';
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

const { amount, moment, staff, text } = columnsOf<Approval>();

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
    amount('amount', 'approvals.amount'),
    {
      id: 'user',
      header: 'approvals.user',
      width: 200,
      cell: (approval) => <UserLink id={approval.user_id} name={null} />,
      csv: (approval) => approval.user_id,
    },
    staff('requested_by', 'approvals.requested_by'),
    {
      id: 'request_reason',
      header: 'approvals.request_reason',
      width: 200,
      cell: (approval) => approval.request_reason ?? approval.remark,
      csv: (approval) => approval.request_reason ?? approval.remark,
    },
    moment('requested_at', 'approvals.requested_at'),
    moment('expires_at', 'approvals.expires_at'),
    {
      id: 'state',
      header: 'approvals.state',
      width: 110,
      cell: (approval) => <State approval={approval} />,
      csv: ({ state }) => state,
    },
    staff('decided_by', 'approvals.decided_by', { optional: true }),
    moment('decided_at', 'approvals.decided_at', { optional: true }),
    text('failure', 'approvals.failure', { width: 180, optional: true }),
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
