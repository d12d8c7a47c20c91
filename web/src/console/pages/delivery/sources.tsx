import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { ActButton, type Offered } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { AddKey } from './add-key';
import { RevokeKey } from './revoke-key';
import { SaveSource } from './save-source';
import { KeyList } from './source-keys';
import { type Channel, isValid, type Source, shortKid } from './source-values';

const LIST: List<'/admin/source/list'> = {
  path: '/admin/source/list',
  rowId: ({ source }) => source,
  rowName: ({ source }) => source,
  empty: 'delivery.no_sources',
  filters: [],
  columns: [
    {
      id: 'source',
      header: 'delivery.source',
      width: 200,
      cell: ({ source }) => source,
      csv: ({ source }) => source,
    },
    {
      id: 'channels',
      header: 'delivery.channels',
      width: 220,
      cell: ({ channels }) => <Channels channels={channels} />,
      csv: ({ channels }) => channels.join(' '),
    },
    {
      id: 'signed',
      header: 'delivery.signed',
      width: 160,
      cell: ({ keys }) => <Signed isSigned={keys.some(isValid)} />,
      csv: ({ keys }) => String(keys.some(isValid)),
    },
    {
      id: 'keys',
      header: 'delivery.keys',
      width: 500,
      cell: ({ keys }) => <KeyList keys={keys} />,
      csv: ({ keys }) =>
        keys
          .filter(isValid)
          .map(({ kid }) => kid)
          .join(' '),
    },
  ],
};

/** Who may report delivery as which source, and with which keys they sign. */
export default function SourcesPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const mayChange =
    may('POST /admin/source/save') ||
    may('POST /admin/source/key/add') ||
    may('POST /admin/source/key/revoke');
  const register: Offered = {
    id: 'register',
    label: t('delivery.register'),
    dialog: (close) => <SaveSource source={null} onClose={close} />,
  };
  return (
    <ListPage
      title={t('delivery.sources_title')}
      list={LIST}
      actions={may('POST /admin/source/save') ? <ActButton offered={register} /> : null}
      {...(mayChange ? { rowActs: (source: Source) => <RowActs source={source} /> } : {})}
    >
      <p>{t('delivery.sources_text')}</p>
    </ListPage>
  );
}

function RowActs({ source }: { source: Source }) {
  const { t } = useTranslation('console');
  const may = useMay();
  const name = source.source;
  const revocable = may('POST /admin/source/key/revoke') ? source.keys.filter(isValid) : [];
  const offered: (Offered | false)[] = [
    may('POST /admin/source/save') && {
      id: 'save',
      label: t('delivery.change_channels'),
      dialog: (close) => <SaveSource source={source} onClose={close} />,
    },
    may('POST /admin/source/key/add') && {
      id: 'add',
      label: t('delivery.add_key'),
      dialog: (close) => <AddKey source={source} onClose={close} />,
    },
    ...revocable.map(
      (key): Offered => ({
        id: key.kid,
        label: t('delivery.revoke_named', { kid: shortKid(key.kid) }),
        tone: 'danger',
        dialog: (close) => <RevokeKey source={source} signer={key} onClose={close} />,
      }),
    ),
  ];
  return <RowMenu name={name} offered={offered.filter((act) => act !== false)} />;
}

function Channels({ channels }: { channels: readonly Channel[] }) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  return list(channels.map((channel) => t(`delivery.channel.${channel}`)));
}

function Signed({ isSigned }: { isSigned: boolean }) {
  const { t } = useTranslation('console');
  return t(isSigned ? 'delivery.must_sign' : 'delivery.need_not_sign');
}
