import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Badge } from '../../ui/badge';
import { Moment } from '../../ui/moment';
import { UserLink } from '../../ui/user-link';
import { IssueLicences } from './issue-licences';

type License = components['schemas']['License'];

const LIST: List<'/admin/license/list'> = {
  path: '/admin/license/list',
  rowId: ({ code }) => code,
  rowName: ({ code }) => code,
  empty: 'licences.empty',
  filters: [],
  columns: [
    {
      id: 'code',
      header: 'licences.code',
      width: 240,
      cell: ({ code }) => <span className="mono">{code}</span>,
      csv: ({ code }) => code,
    },
    {
      id: 'state',
      header: 'licences.state',
      width: 100,
      cell: (licence) => <State licence={licence} />,
      csv: ({ state }) => state,
    },
    {
      id: 'note',
      header: 'licences.note',
      width: 240,
      cell: ({ note }) => note,
      csv: ({ note }) => note,
    },
    {
      id: 'activate',
      header: 'licences.activate',
      width: 150,
      cell: (licence) => <Activates licence={licence} />,
      csv: ({ activate }) => String(activate),
    },
    {
      id: 'user',
      header: 'licences.user',
      width: 300,
      cell: (licence) => <User licence={licence} />,
      csv: (licence) => licence.user_id,
    },
    {
      id: 'created',
      header: 'licences.created',
      width: 160,
      cell: (licence) => <Moment at={licence.created_at} />,
      csv: (licence) => licence.created_at,
    },
  ],
};

/** The keys with which users open accounts. */
export default function LicencesPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  return (
    <ListPage
      title={t('licences.title')}
      list={LIST}
      actions={
        may('POST /admin/license/create') ? (
          <ActButton
            offered={{
              id: 'issue',
              label: t('licences.issue'),
              dialog: (close) => <IssueLicences onClose={close} />,
            }}
          />
        ) : null
      }
    />
  );
}

function State({ licence }: { licence: License }) {
  const { t } = useTranslation('console');
  const { state } = licence;
  return <Badge tone={state === 'unused' ? 'good' : 'neutral'}>{t(`licences.states.${state}`)}</Badge>;
}

function Activates({ licence }: { licence: License }) {
  const { t } = useTranslation('console');
  return t(licence.activate ? 'licences.activates' : 'licences.activates_not');
}

function User({ licence }: { licence: License }) {
  const { t } = useTranslation('console');
  return licence.user_id === null ? t('list.none') : <UserLink id={licence.user_id} name={null} />;
}
