import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';

type Props = {
  /** A decimal string of the platform's currency. */
  value: string | null | undefined;
  /** With its sign, as movements are shown. */
  signed?: boolean;
};

export function Amount({ value, signed }: Props) {
  const { t } = useTranslation('console');
  const { money, signedMoney } = useFormats();
  if (value === null || value === undefined) return t('list.none');
  return <span className="figure">{signed ? signedMoney(value) : money(value)}</span>;
}
