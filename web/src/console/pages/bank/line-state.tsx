import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Badge, type Tone } from '../../ui/badge';

export type BankLine = components['schemas']['StaffBankLine'];

export const LINE_STATES = ['open', 'waiting', 'credited', 'aside', 'paid_out'] as const;

const TONES = {
  open: 'info',
  waiting: 'waiting',
  credited: 'good',
  aside: 'neutral',
  paid_out: 'neutral',
} as const satisfies Record<BankLine['state'], Tone>;

/** Where a line stands, and whether somebody should look twice before it is credited. */
export function LineState({ line }: { line: BankLine }) {
  const { t } = useTranslation('console');
  return (
    <>
      <Badge tone={TONES[line.state]}>{t(`bank.states.${line.state}`)}</Badge>
      {line.state === 'open' && line.similar ? (
        <>
          {' '}
          <Badge tone="bad">{t('bank.similar')}</Badge>
        </>
      ) : null}
    </>
  );
}
