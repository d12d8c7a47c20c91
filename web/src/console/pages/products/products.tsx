import { useTranslation } from 'react-i18next';
import { ActButton } from '../../act/act-button';
import { RowMenu } from '../../act/row-menu';
import { useMay } from '../../session/use-staff';
import type { List } from '../../table/list';
import { ListPage } from '../../table/list-page';
import { Amount } from '../../ui/amount';
import { Audience, Contents, Goal, Placements, Range, Regions, ReturnMax } from './cells';
import type { StaffProduct } from './product-values';
import { SaveProduct } from './save-product';

const LIST: List<'/admin/product/list'> = {
  path: '/admin/product/list',
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  empty: 'products.empty',
  filters: [],
  columns: [
    {
      id: 'name',
      header: 'products.name',
      width: 170,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: 'category',
      header: 'products.category',
      width: 130,
      cell: ({ category }) => category,
      csv: ({ category }) => category,
    },
    {
      id: 'content',
      header: 'products.content',
      width: 150,
      cell: (product) => <Contents product={product} />,
      csv: (product) => product.content_types.join(' '),
    },
    {
      id: 'range',
      header: 'products.range',
      width: 200,
      align: 'end',
      cell: (product) => <Range product={product} />,
      csv: (product) => `${product.put_min} ${product.put_max}`,
    },
    {
      id: 'audience',
      header: 'products.audience',
      width: 190,
      cell: (product) => <Audience product={product} />,
      csv: ({ audience }) => `${audience.gender} ${audience.age_min}-${audience.age_max}`,
    },
    {
      id: 'regions',
      header: 'products.regions',
      width: 180,
      optional: true,
      cell: (product) => <Regions product={product} />,
      csv: ({ audience }) => audience.regions.join(', '),
    },
    {
      id: 'return_max',
      header: 'products.return_max',
      width: 110,
      align: 'end',
      cell: (product) => <ReturnMax product={product} />,
      csv: (product) => product.return_max_percent,
    },
    {
      id: 'per_thousand',
      header: 'products.per_thousand',
      width: 150,
      align: 'end',
      optional: true,
      cell: (product) => <Amount value={product.revenue_per_thousand_max} />,
      csv: (product) => product.revenue_per_thousand_max,
    },
    {
      id: 'goal',
      header: 'products.goal',
      width: 130,
      cell: (product) => <Goal product={product} />,
      csv: ({ goal }) => goal,
    },
    {
      id: 'placements',
      header: 'products.placements',
      width: 130,
      cell: (product) => <Placements product={product} />,
      csv: ({ placements }) => placements.join(' '),
    },
    {
      id: 'description',
      header: 'products.description',
      width: 320,
      optional: true,
      cell: ({ description }) => description,
      csv: ({ description }) => description,
    },
    {
      id: 'id',
      header: 'products.id',
      width: 300,
      optional: true,
      cell: ({ id }) => <span className="mono">{id}</span>,
      csv: ({ id }) => id,
    },
  ],
};

/** What can be advertised, and how its plans are placed. */
export default function ProductsPage() {
  const { t } = useTranslation('console');
  const may = useMay();
  const acts = (product: StaffProduct) => <RowActs product={product} />;
  return (
    <ListPage
      title={t('products.title')}
      list={LIST}
      actions={
        may('POST /admin/product/create') ? (
          <ActButton
            offered={{
              id: 'create',
              label: t('products.create'),
              dialog: (close) => <SaveProduct product={null} onClose={close} />,
            }}
          />
        ) : null
      }
      {...(may('POST /admin/product/edit') ? { rowActs: acts } : {})}
    />
  );
}

function RowActs({ product }: { product: StaffProduct }) {
  const { t } = useTranslation('console');
  return (
    <RowMenu
      name={product.name}
      offered={[
        {
          id: 'edit',
          label: t('products.edit'),
          dialog: (close) => <SaveProduct product={product} onClose={close} />,
        },
      ]}
    />
  );
}
