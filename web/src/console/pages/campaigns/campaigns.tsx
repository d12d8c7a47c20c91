import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { ActButton } from '../../act/act-button';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Amount } from '../../ui/amount';
import { Count } from '../../ui/count';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { CampaignActs } from './campaign-acts';
import { CampaignState, Claimed, ClaimWindow, Days, Kind, Type, Value } from './cells';
import { CreateCampaign } from './create-campaign';

type Campaign = components['schemas']['Campaign'];

const LIST: List<'/admin/coupon/campaign/list'> = {
  path: '/admin/coupon/campaign/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  empty: 'campaigns.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'campaigns.name',
      width: 190,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'state',
      header: 'campaigns.state',
      width: 150,
      cell: (campaign) => <CampaignState campaign={campaign} />,
      csv: ({ state }) => state,
    },
    {
      id: 'value',
      header: 'campaigns.value',
      width: 180,
      cell: (campaign) => <Value campaign={campaign} />,
      csv: ({ mode, value }) => `${mode} ${value}`,
    },
    {
      id: 'type',
      header: 'campaigns.type',
      width: 160,
      optional: true,
      cell: (campaign) => <Type campaign={campaign} />,
      csv: ({ type }) => type,
    },
    {
      id: 'kind',
      header: 'campaigns.kind',
      width: 160,
      cell: (campaign) => <Kind campaign={campaign} />,
      csv: ({ kind }) => kind,
    },
    {
      id: 'requirement',
      header: 'campaigns.requirement',
      width: 120,
      align: 'end',
      cell: (campaign) => <Amount value={campaign.amount_requirement} />,
      csv: (campaign) => campaign.amount_requirement,
    },
    {
      id: 'claimed',
      header: 'campaigns.claimed',
      width: 135,
      align: 'end',
      cell: (campaign) => <Claimed campaign={campaign} />,
      csv: ({ claimed }) => claimed,
    },
    {
      id: 'redeemed',
      header: 'campaigns.redeemed',
      width: 130,
      align: 'end',
      cell: ({ redeemed }) => <Count value={redeemed} />,
      csv: ({ redeemed }) => redeemed,
    },
    {
      id: 'redeemed_amount',
      header: 'campaigns.redeemed_amount',
      width: 120,
      align: 'end',
      cell: (campaign) => <Amount value={campaign.redeemed_amount} />,
      csv: (campaign) => campaign.redeemed_amount,
    },
    {
      id: 'expired',
      header: 'campaigns.expired',
      width: 100,
      align: 'end',
      cell: ({ expired }) => <Count value={expired} />,
      csv: ({ expired }) => expired,
    },
    {
      id: 'total',
      header: 'campaigns.total',
      width: 130,
      align: 'end',
      optional: true,
      cell: (campaign) => campaign.total,
      csv: ({ total }) => total,
    },
    {
      id: 'window',
      header: 'campaigns.window',
      width: 180,
      cell: (campaign) => <ClaimWindow campaign={campaign} />,
      csv: (campaign) => `${campaign.starts_at ?? ''}/${campaign.ends_at ?? ''}`,
    },
    {
      id: 'days',
      header: 'campaigns.valid_for',
      width: 110,
      align: 'end',
      optional: true,
      cell: (campaign) => <Days campaign={campaign} />,
      csv: (campaign) => campaign.valid_days,
    },
    {
      id: 'created_by',
      header: 'campaigns.created_by',
      width: 300,
      optional: true,
      cell: (campaign) => <StaffName id={campaign.created_by} />,
      csv: (campaign) => campaign.created_by,
    },
    {
      id: 'decided_by',
      header: 'campaigns.decided_by',
      width: 300,
      optional: true,
      cell: (campaign) => <StaffName id={campaign.decided_by} />,
      csv: (campaign) => campaign.decided_by,
    },
    {
      id: 'decided_at',
      header: 'campaigns.decided_at',
      width: 150,
      optional: true,
      cell: (campaign) => <Moment at={campaign.decided_at} />,
      csv: (campaign) => campaign.decided_at,
    },
    {
      id: 'id',
      header: 'campaigns.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** The campaigns that coupons come from. Costly ones wait for a second person. */
export default function CampaignsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (campaign: Campaign) => <CampaignActs campaign={campaign} />;
  const mayAct = may('POST /admin/coupon/campaign/decide') || may('POST /admin/coupon/grant');
  return (
    <ListPage
      title={t('campaigns.title')}
      list={LIST}
      actions={
        may('POST /admin/coupon/campaign/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('campaigns.create'),
              dialog: (close) => <CreateCampaign onClose={close} />,
            }}
          />
        ) : null
      }
      {...(mayAct ? { rowActs: acts } : {})}
    />
  );
}
