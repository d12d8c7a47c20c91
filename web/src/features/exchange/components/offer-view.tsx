import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Hold } from '@/domain/leaving/hold';
import { leavingPropertyQuery } from '@/domain/leaving/property';
import { isOnHold } from '@/domain/leaving/rules';
import { useFormats } from '@/i18n/format';
import type { ExchangeOffer } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { FormAlert } from '@/ui/field';
import stack from '@/ui/stack.module.css';
import { useOverlay } from '@/ui/use-overlay';
import type { Found } from '../api/queries';
import { leavesWallet, limitsOf } from '../rules';
import { useTimeLeft } from '../use-time-left';
import { AcceptorHead } from './acceptor-card';
import { AmountForm, REVIEW } from './amount-form';
import type { RefusedCode } from './code-form';
import { Countdown } from './countdown';
import { usePlatform } from './exchange-text';
import { Notice } from './notice';
import { RateRow } from './rate-row';

type Props = {
  found: Found;
  /** Another order is open, and only one is allowed. */
  isBlocked: boolean;
  onForget: () => void;
  onCodeRefused: (refused: RefusedCode) => void;
};

/** The acceptor behind a code, its offer, and the amount form. */
export default function OfferView({ found, isBlocked, onForget, onCodeRefused }: Props) {
  const { t } = useTranslation();
  const platform = usePlatform();
  const hold = useHold(found.offer);
  const left = useTimeLeft(found.offer.expires_at);
  const limits = limitsOf(found.offer, platform?.exchange_limit, platform?.leave_limits);
  const wallet = platform?.currency ?? '';
  const isOver = left === 0;
  // An open review stays. If the offer has ended meanwhile, the server reports it.
  const isReviewed = useOverlay(REVIEW).isOpen;
  return (
    <div className={stack.gap4}>
      <AcceptorHead acceptor={found.acceptor} />
      <Terms offer={found.offer} limits={limits} wallet={wallet} leftMs={left} />
      {isOver ? <FormAlert>{t('exchange.offer_over')}</FormAlert> : null}
      {isBlocked && !isOver ? <Notice text={t('exchange.one_at_a_time')} /> : null}
      {isOver || isBlocked ? null : hold}
      {isReviewed || !(isOver || isBlocked || hold) ? (
        <AmountForm
          found={found}
          limits={limits}
          leaveLimits={leavesWallet(found.offer) ? platform?.leave_limits : undefined}
          wallet={wallet}
          onCodeRefused={onCodeRefused}
        />
      ) : null}
      <Button tone={isOver ? 'primary' : 'quiet'} wide onClick={onForget}>
        {t('exchange.other_code')}
      </Button>
    </div>
  );
}

/** What keeps wallet money from leaving, with cause and end; null if nothing does or none would leave. */
function useHold(offer: ExchangeOffer): ReactNode {
  const { t } = useTranslation();
  const property = useQuery(leavingPropertyQuery).data;
  if (!property || !leavesWallet(offer)) return null;
  if (!isOnHold('exchange', property)) return null;
  return <Hold inset leaving="exchange" title={t('exchange.blocked_title')} property={property} />;
}

type TermsProps = {
  offer: ExchangeOffer;
  limits: { min: string; max: string };
  wallet: string;
  leftMs: number;
};

function Terms({ offer, limits, wallet, leftMs }: TermsProps) {
  const { t } = useTranslation();
  const { money } = useFormats();
  return (
    <Rows>
      <RateRow terms={offer} wallet={wallet} />
      <Row label={t('exchange.limits')}>
        {t('product.range', { min: money(limits.min), max: money(limits.max) })} {wallet}
      </Row>
      <Row label={t('exchange.offer_ends')}>
        <Countdown until={offer.expires_at} leftMs={leftMs} />
      </Row>
    </Rows>
  );
}
