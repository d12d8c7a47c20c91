import { useTranslation } from 'react-i18next';
import type { NoticeDraft } from './draft';

export function CategoryName({ category }: { category: NoticeDraft['category'] }) {
  const { t } = useTranslation('console');
  return t(`notices.categories.${category}`);
}
