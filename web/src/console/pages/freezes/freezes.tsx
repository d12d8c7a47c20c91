import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { useMay } from '../../session/use-staff';
import { columnsOf } from '../../table/columns';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge } from '../../ui/badge';
import { StaffName } from '../../ui/staff-name';
import { UserLink } from '../../ui/user-link';

type Freeze = components['schemas']['Freeze'];

const { moment, text: textColumn } = columnsOf<Freeze>();

const LIST: List<'/admin/wallet/freezes'> = {
  path: '/admin/wallet/freezes',
  claims: { kind: 'user', id: (freeze) => freeze.user_id },
  rowId: ({ id }) => id,
  rowName: ({ user_id }) => user_id,
  empty: 'freezes.empty',
  filters: [],
  columns: [
    moment('frozen_at', 'freezes.frozen_at', { width: 150 }),
    {
      id: 'user',
      header: 'freezes.user',
      width: 300,
      cell: (freeze) => <UserLink id={freeze.user_id} name={null} />,
      csv: (freeze) => freeze.user_id,
    },
    textColumn('reason', 'freezes.reason', { width: 220 }),
    {
      id: 'state',
      header: 'freezes.state',
      width: 180,
      cell: (freeze) => <State freeze={freeze} />,
      csv: (freeze) => stateOf(freeze),
    },
    {
      id: 'staff',
      header: 'freezes.staff',
      width: 160,
      cell: (freeze) => <StaffName id={freeze.staff_id} />,
      csv: (freeze) => freeze.staff_id,
    },
    textColumn('staff_reason', 'freezes.staff_reason', { width: 220, optional: true }),
    moment('lifted_at', 'freezes.lifted_at', { width: 150, optional: true }),
  ],
};

/** Wallets that nothing leaves, because their owners said so, until both they and staff have agreed. */
export default function FreezesPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (freeze: Freeze) =>
    freeze.lifted_at === null && freeze.staff_agreed_at === null ? <Lift freeze={freeze} /> : null;
  return (
    <ListPage
      title={t('freezes.title')}
      list={LIST}
      {...(may('POST /admin/wallet/unfreeze') ? { rowActs: acts } : {})}
    >
      <p>{t('freezes.intro')}</p>
    </ListPage>
  );
}

function stateOf(freeze: Freeze): 'lifted' | 'staff_agreed' | 'owner_agreed' | 'frozen' {
  if (freeze.lifted_at !== null) return 'lifted';
  if (freeze.staff_agreed_at !== null) return 'staff_agreed';
  return freeze.owner_agreed_at === null ? 'frozen' : 'owner_agreed';
}

function State({ freeze }: { freeze: Freeze }) {
  const { t } = useTranslation('console');
  const state = stateOf(freeze);
  return <Badge tone={state === 'lifted' ? 'neutral' : 'waiting'}>{t(`freezes.states.${state}`)}</Badge>;
}

function Lift({ freeze }: { freeze: Freeze }) {
  const { t } = useTranslation('console');
  return (
    <ActButton
      quiet
      offered={{
        id: 'lift',
        label: t('freezes.lift'),
        dialog: (close) => <LiftDialog freeze={freeze} onClose={close} />,
      }}
    />
  );
}

function LiftDialog({ freeze, onClose }: { freeze: Freeze; onClose: () => void }) {
  const { t } = useTranslation('console');
  const hasOwner = freeze.owner_agreed_at !== null;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/wallet/unfreeze',
        item: { kind: 'user', id: freeze.user_id },
        title: t('freezes.lift_title'),
        submit: t('freezes.lift'),
        intro: <p>{t('freezes.lift_intro')}</p>,
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('freezes.state'),
            before: t(`freezes.states.${stateOf(freeze)}`),
            after: t(hasOwner ? 'freezes.states.lifted' : 'freezes.states.staff_agreed'),
          },
        ],
        body: ({ reason }) => ({ user_id: freeze.user_id, reason }),
        done: () => ({ text: t(hasOwner ? 'freezes.lift_done' : 'freezes.lift_waits') }),
        touches: [
          consoleKeys.list('/admin/wallet/freezes'),
          consoleKeys.one('/admin/user/detail', freeze.user_id),
        ],
      }}
    />
  );
}
