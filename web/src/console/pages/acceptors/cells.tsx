import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';

type AcceptorKind = components['schemas']['AcceptorKind'];

export const KINDS = ['personal', 'enterprise'] as const satisfies readonly AcceptorKind[];

export function Kind({ kind }: { kind: AcceptorKind }) {
  const { t } = useTranslation('console');
  return t(`acceptors.kinds.${kind}`);
}
