import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight, PackageOpen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import { QueryList } from '@/ui/query-list';
import { Sheet } from '@/ui/sheet';
import stack from '@/ui/stack.module.css';
import { EmptyState } from '@/ui/states';
import { productListQuery } from '../api/queries';
import { ProductIcon } from './product-icon';
import styles from './product-sheet.module.css';

type Props = { isOpen: boolean; onClose: () => void };

/** The products that can be advertised. */
export function ProductSheet({ isOpen, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Sheet isOpen={isOpen} onClose={onClose} title={t('product.choose')}>
      <Products />
    </Sheet>
  );
}

function Products() {
  const { t } = useTranslation();
  const { money } = useFormats();
  const query = useInfiniteQuery(productListQuery);
  return (
    <QueryList
      query={query}
      empty={
        <EmptyState
          icon={<PackageOpen size={28} />}
          title={t('product.empty')}
          text={t('product.empty_text')}
        />
      }
    >
      {(products) => (
        <ul className={stack.gap2}>
          {products.map((product) => (
            <li key={product.id}>
              <Link
                className={styles.item}
                replace
                to={`/plan/goods-detail?id=${encodeURIComponent(product.id)}`}
              >
                <ProductIcon name={product.name} url={product.icon_url} />
                <span>
                  <span className={styles.name}>{product.name}</span>
                  <span className={styles.meta}>{product.category}</span>
                  <span className={styles.meta}>
                    {t('product.range', { min: money(product.put_min), max: money(product.put_max) })}
                  </span>
                </span>
                <ChevronRight size={20} aria-hidden="true" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </QueryList>
  );
}
