import { useTranslation } from 'react-i18next';
import { PaySheet } from '@/domain/pay/pay-sheet';
import { Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import type { Found } from '../api/queries';
import { balanceAfter } from '../rules';
import { useTimeLeft } from '../use-time-left';
import { Countdown } from './countdown';
import type { Side } from './exchange-text';
import { RateRow } from './rate-row';
import { SideAmount, Sides } from './sides';

type Props = {
  found: Found;
  amount: string;
  sides: { give: Side; get: Side };
  available: string | undefined;
  wallet: string;
  onPay: (password: string | null) => Promise<unknown>;
  onClose: () => void;
};

/** Reviews an exchange. No fee is charged: the other side is the amount at the rate. */
export function ExchangeReview({ found, amount, sides, available, wallet, onPay, onClose }: Props) {
  const { t } = useTranslation();
  const { offer, acceptor } = found;
  const left = useTimeLeft(offer.expires_at);
  return (
    <PaySheet
      title={t('exchange.review_title')}
      confirmLabel={t('exchange.confirm')}
      asksPassword
      summary={
        <>
          {acceptor.name}
          <strong>
            <SideAmount side={sides.give} />
          </strong>
        </>
      }
      onPay={onPay}
      onClose={onClose}
    >
      <div className={stack.gap4}>
        <Sides give={sides.give} get={sides.get} />
        <Rows>
          <RateRow terms={offer} wallet={wallet} />
          <Row label={t('withdraw.fee')}>{t('withdraw.no_fee')}</Row>
          <Row label={t('exchange.acceptor')}>{acceptor.name}</Row>
          <Row label={t('exchange.paid_from')}>{t(`exchange.paid_from_of.${offer.direction}`)}</Row>
          <Row label={t('exchange.offer_ends')}>
            <Countdown until={offer.expires_at} leftMs={left} />
          </Row>
          {available === undefined ? null : (
            <>
              <Row label={t('exchange.balance_now')}>
                <Money value={available} />
              </Row>
              <Row label={t(`exchange.balance_after.${offer.direction}`)}>
                <Money value={balanceAfter(offer, amount, available)} />
              </Row>
            </>
          )}
        </Rows>
      </div>
    </PaySheet>
  );
}
