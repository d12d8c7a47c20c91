import { useTranslation } from 'react-i18next';
import { withDeskTexts } from '@/i18n/desk-texts';
import { useFormats } from '@/i18n/format';
import type { PlanPlacement } from '@/lib/api/types';
import { type Column, DataTable } from '@/ui/table/data-table';
import { ClickRate, CurrentShare, PlacementName, Spend } from '../cells';
import type { PlacementsProps } from '../placements-list';

function PlacementsTable({ items, scale, total }: PlacementsProps) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const hasShares = items.some(({ share, reason }) => share !== null || reason !== null);
  const columns: Column<PlanPlacement>[] = [
    { key: 'placement', label: t('placing.placement'), cell: (item) => <PlacementName item={item} /> },
    {
      key: 'impressions',
      label: t('figure.impressions'),
      end: true,
      cell: ({ impressions }) => integer(impressions),
    },
    { key: 'clicks', label: t('figure.clicks'), end: true, cell: ({ clicks }) => integer(clicks) },
    {
      key: 'ctr',
      label: t('figure.ctr'),
      end: true,
      cell: (item) => <ClickRate item={item} scale={scale} />,
    },
    {
      key: 'spend',
      label: t('reports.spend'),
      end: true,
      cell: (item) => <Spend item={item} total={total} short />,
    },
  ];
  const share = {
    key: 'share',
    label: t('placing.share'),
    end: true,
    cell: (item: PlanPlacement) => <CurrentShare item={item} stacked />,
  };
  return (
    <DataTable
      label={t('placing.placement')}
      columns={hasShares ? [...columns, share] : columns}
      rows={items}
      narrow
      keyOf={({ placement }) => placement?.id ?? ''}
    />
  );
}

export const load = withDeskTexts(PlacementsTable);
