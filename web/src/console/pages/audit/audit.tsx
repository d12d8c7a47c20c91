import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import { AuditOpener } from './audit-opener';
import { compare } from './comparison';

export type AuditEntry = components['schemas']['AuditEntry'];

/** Names of changed fields that the list shows. */
const SHOWN_FIELDS = 4;

const LIST: List<'/admin/audit/list'> = {
  path: '/admin/audit/list',
  rowId: ({ id }) => id,
  rowName: ({ action, staff, time }) => `${action}, ${staff.username}, ${time}`,
  empty: 'audit.empty',
  filters: [
    { name: 'action', label: 'audit.action', kind: 'text' },
    { name: 'staff_id', label: 'audit.staff_id', kind: 'text' },
    { name: 'user_id', label: 'audit.user_id', kind: 'text' },
  ],
  columns: [
    {
      id: 'action',
      header: 'audit.action',
      width: 230,
      cell: (entry) => <AuditOpener entry={entry} />,
      csv: ({ action }) => action,
    },
    {
      id: 'time',
      header: 'audit.time',
      width: 150,
      cell: ({ time }) => <Moment at={time} />,
      csv: ({ time }) => time,
    },
    {
      id: 'staff',
      header: 'audit.staff',
      width: 140,
      cell: ({ staff }) => staff.username,
      csv: ({ staff }) => staff.username,
    },
    {
      id: 'user',
      header: 'audit.user',
      width: 200,
      cell: (entry) => (entry.user_id === null ? null : <UserLink id={entry.user_id} name={null} />),
      csv: (entry) => entry.user_id,
    },
    {
      id: 'changed',
      header: 'audit.changed',
      width: 260,
      cell: changedFields,
      csv: changedFields,
    },
    {
      id: 'reason',
      header: 'audit.reason',
      width: 240,
      cell: ({ reason }) => reason,
      csv: ({ reason }) => reason,
    },
    {
      id: 'target',
      header: 'audit.target',
      width: 300,
      optional: true,
      cell: ({ target }) => <span className="mono">{target}</span>,
      csv: ({ target }) => target,
    },
    {
      id: 'before',
      header: 'audit.before',
      width: 260,
      optional: true,
      cell: ({ before }) => jsonOf(before),
      csv: ({ before }) => jsonOf(before),
    },
    {
      id: 'after',
      header: 'audit.after',
      width: 260,
      optional: true,
      cell: ({ after }) => jsonOf(after),
      csv: ({ after }) => jsonOf(after),
    },
    {
      id: 'request',
      header: 'audit.request_id',
      width: 300,
      optional: true,
      cell: (entry) => <span className="mono">{entry.request_id}</span>,
      csv: (entry) => entry.request_id,
    },
    {
      id: 'id',
      header: 'audit.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** What staff did, over the API or with adfolioctl, and who logged in. */
export default function AuditPage() {
  const { t } = useTranslation('console');
  return <ListPage title={t('audit.title')} list={LIST} />;
}

function changedFields({ before, after }: AuditEntry): string {
  const names = compare(before, after)
    .filter(({ kind }) => kind !== 'unchanged')
    .map(({ name }) => name);
  const shown = names.slice(0, SHOWN_FIELDS).join(', ');
  return names.length > SHOWN_FIELDS ? `${shown}, …` : shown;
}

function jsonOf(value: object | null): string {
  return value === null ? '' : JSON.stringify(value);
}
