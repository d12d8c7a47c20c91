import { useTranslation } from 'react-i18next';
import { LinkButton } from '@/ui/button';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { Parts } from './parts';

const LIST: List<'/admin/content/versions'> = {
  path: '/admin/content/versions',
  rowId: ({ version }) => String(version),
  rowName: ({ version }) => String(version),
  rowPath: ({ version }) => `/content/versions/${version}`,
  empty: 'content.versions.empty',
  filters: [],
  columns: [
    {
      id: 'version',
      header: 'content.versions.number',
      width: 90,
      cell: ({ version }) => version,
      csv: ({ version }) => version,
    },
    {
      id: 'time',
      header: 'content.versions.time',
      width: 150,
      cell: ({ time }) => <Moment at={time} />,
      csv: ({ time }) => time,
    },
    {
      id: 'made_by',
      header: 'content.versions.by',
      width: 160,
      cell: (row) => <StaffName id={row.made_by} />,
      csv: (row) => row.made_by,
    },
    {
      id: 'parts',
      header: 'content.versions.parts',
      width: 300,
      cell: ({ parts }) => <Parts parts={parts} />,
      csv: ({ parts }) => parts.join(' '),
    },
    {
      id: 'reason',
      header: 'act.reason',
      width: 260,
      cell: ({ reason }) => reason,
      csv: ({ reason }) => reason,
    },
    {
      id: 'restored',
      header: 'content.versions.restored',
      width: 100,
      cell: ({ restored }) => restored,
      csv: ({ restored }) => restored,
    },
  ],
};

/** Who has changed the texts that users read, when and why. */
export default function VersionsPage() {
  const { t } = useTranslation('console');
  return (
    <ListPage
      title={t('content.versions.title')}
      list={LIST}
      actions={
        <LinkButton tone="secondary" to="/content">
          {t('content.back')}
        </LinkButton>
      }
    />
  );
}
