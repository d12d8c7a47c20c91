import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';

type AcceptorKind = components['schemas']['AcceptorKind'];

export const KINDS = ['personal', 'enterprise'] as const satisfies readonly AcceptorKind[];

export function Kind({ kind }: { kind: AcceptorKind }) {
  const { t } = useTranslation('console');
  return t(`acceptors.kinds.${kind}`);
}

export function Count({ count }: { count: number }) {
  const { integer } = useFormats();
  return <span className="figure">{integer(count)}</span>;
}
