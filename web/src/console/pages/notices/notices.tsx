import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Code } from '../../ui/code';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import {
  ANNOUNCEMENT_STATES,
  AnnouncementState,
  PublishedAt,
  Reached,
  RecipientsOf,
  titleOf,
} from './announcement-cells';
import { CategoryName } from './category-name';
import { Withdraw } from './withdraw';

const LIST: List<'/admin/announcement/list'> = {
  path: '/admin/announcement/list',
  rowId: ({ id }) => id,
  rowName: titleOf,
  rowPath: ({ id }) => `/notices/${id}`,
  empty: 'notices.empty',
  filters: [
    {
      name: 'state',
      label: 'notices.state',
      kind: 'choice',
      options: ANNOUNCEMENT_STATES.map((value) => ({ value, label: `notices.states.${value}` })),
    },
  ],
  columns: [
    { id: 'title', header: 'notices.notice_title', width: 260, cell: titleOf, csv: titleOf },
    {
      id: 'state',
      header: 'notices.state',
      width: 120,
      cell: (row) => <AnnouncementState announcement={row} />,
      csv: ({ state }) => state,
    },
    {
      id: 'category',
      header: 'notices.category',
      width: 130,
      cell: ({ category }) => <CategoryName category={category} />,
      csv: ({ category }) => category,
    },
    {
      id: 'to',
      header: 'notices.recipients',
      width: 110,
      cell: (row) => <RecipientsOf announcement={row} />,
      csv: ({ to, recipients }) => (to === 'all' ? to : recipients),
    },
    {
      id: 'when',
      header: 'notices.published_or_due',
      width: 160,
      cell: (row) => <PublishedAt announcement={row} />,
      csv: ({ published_at, publish_at }) => published_at ?? publish_at,
    },
    {
      id: 'reached',
      header: 'notices.reached',
      width: 100,
      align: 'end',
      cell: (row) => <Reached announcement={row} />,
      csv: ({ reached }) => reached,
    },
    {
      id: 'made_by',
      header: 'notices.made_by',
      width: 140,
      cell: (row) => <StaffName id={row.made_by} />,
      csv: (row) => row.made_by,
    },
    {
      id: 'time',
      header: 'notices.made_at',
      width: 150,
      optional: true,
      cell: ({ time }) => <Moment at={time} />,
      csv: ({ time }) => time,
    },
    {
      id: 'changed_by',
      header: 'notices.changed_by',
      width: 140,
      optional: true,
      cell: (row) => <StaffName id={row.changed_by} />,
      csv: (row) => row.changed_by,
    },
    {
      id: 'withdrawal_reason',
      header: 'notices.withdrawal_reason',
      width: 220,
      optional: true,
      cell: (row) => row.withdrawal_reason,
      csv: (row) => row.withdrawal_reason,
    },
    {
      id: 'id',
      header: 'notices.sent_id',
      width: 300,
      optional: true,
      cell: ({ id }) => <Code text={id} />,
      csv: ({ id }) => id,
    },
  ],
};

/** What staff have published, scheduled and withdrawn. */
export default function NoticesPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('notices.title')}
      list={LIST}
      actions={
        may('POST /admin/notification/create') ? (
          <LinkButton to="/notices/new">{t('notices.write')}</LinkButton>
        ) : null
      }
      rowActs={(row) => (
        <RowMenu
          name={titleOf(row)}
          offered={
            row.state === 'scheduled' && may('POST /admin/announcement/withdraw')
              ? [
                  {
                    id: 'withdraw',
                    label: t('notices.withdraw'),
                    tone: 'danger',
                    dialog: (close) => <Withdraw announcement={row} onClose={close} />,
                  },
                ]
              : []
          }
        />
      )}
    />
  );
}
