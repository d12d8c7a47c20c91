import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Property } from '@/lib/api/types';
import { Skeleton } from '@/ui/states';
import { usePart } from '@/ui/use-part';
import type { Leaving } from './rules';

export type HoldProps = {
  leaving: Leaving;
  /** The title of the steps. */
  title: string;
  property: Property;
  /** The action of the step `balance`. */
  deposit?: ReactNode;
  /** Shown as parts of a card instead of cards. */
  inset?: boolean;
};

const load = () => import('./hold-content');

/** What keeps money from leaving, with cause and end. Loads on first use, because seldom anything does. */
export function Hold(props: HoldProps) {
  const { t } = useTranslation();
  // A failure has its toast; leaving the page allows another attempt.
  const Content = usePart(load, true, () => undefined);
  if (Content) return <Content {...props} />;
  return (
    <div role="status" aria-label={t('common.loading')}>
      <Skeleton height="14rem" />
    </div>
  );
}
