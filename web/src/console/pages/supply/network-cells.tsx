import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Badge } from '../../ui/badge';

type Props = { network: components['schemas']['Network'] };

export function Delivery({ network }: Props) {
  const { t } = useTranslation('console');
  return network.simulated ? (
    <Badge tone="info">{t('supply.network.simulated')}</Badge>
  ) : (
    t('supply.network.real')
  );
}

export function Delay({ network }: Props) {
  const { t } = useTranslation('console');
  return t('supply.network.seconds', { count: network.report_delay_seconds });
}

/** The valid keys by their last characters. All but the newest one say when they end. */
export function NetworkKeys({ network }: Props) {
  const { t } = useTranslation('console');
  const { moment } = useFormats();
  if (network.keys.length === 0) return t('supply.network.no_keys');
  return (
    <ul>
      {network.keys.map(({ hint, issued_at, expires_at }) => (
        <li key={issued_at}>
          {expires_at === null
            ? t('supply.network.key', { hint })
            : t('supply.network.key_ends', { hint, time: moment(expires_at) })}
        </li>
      ))}
    </ul>
  );
}
