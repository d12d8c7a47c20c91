import { useTranslation } from 'react-i18next';

/** An id, a key or a hash, for machines. */
export function Code({ text }: { text: string | null | undefined }) {
  const { t } = useTranslation('console');
  return text ? <span className="mono">{text}</span> : t('list.none');
}
