import { useTranslation } from 'react-i18next';
import { ActDialog } from '../../act/act-dialog';
import { consoleKeys } from '../../api/keys';
import { ProductFields } from './product-fields';
import { NEW_PRODUCT, productBody, productSchema, type StaffProduct, valuesOf } from './product-values';
import { usePlacements } from './use-placements';
import { useProductChanges } from './use-product-changes';

type Props = {
  /** The product to change; null for a new one. */
  product: StaffProduct | null;
  onClose: () => void;
};

export function SaveProduct({ product, onClose }: Props) {
  const { t } = useTranslation('console');
  const before = product === null ? null : valuesOf(product);
  const { nameOf } = usePlacements();
  const changes = useProductChanges(before, nameOf);
  const shared = {
    schema: productSchema,
    initial: before ?? NEW_PRODUCT,
    fields: <ProductFields />,
    changes,
    touches: [consoleKeys.list('/admin/product/list')],
    wide: true,
  };
  return product === null ? (
    <ActDialog
      onClose={onClose}
      act={{
        ...shared,
        path: '/admin/product/create',
        title: t('products.create_title'),
        submit: t('products.create'),
        body: productBody,
        done: ({ name }) => ({ text: t('products.created', { name }) }),
      }}
    />
  ) : (
    <ActDialog
      onClose={onClose}
      act={{
        ...shared,
        path: '/admin/product/edit',
        title: t('products.edit_title'),
        submit: t('products.save'),
        intro: <p>{t('products.edit_intro')}</p>,
        body: (values) => ({ ...productBody(values), id: product.id }),
        done: ({ name }) => ({ text: t('products.edited', { name }) }),
      }}
    />
  );
}
