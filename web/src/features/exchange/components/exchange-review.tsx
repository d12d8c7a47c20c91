import { useTranslation } from 'react-i18next';
import { PaySheet } from '@/domain/pay/pay-sheet';
import { Row, Rows } from '@/ui/card';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import type { Found } from '../api/queries';
import { balanceAfter } from '../rules';
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

/** Reviews an exchange: the sides, the acceptor and the resulting balance. */
export function ExchangeReview({ found, amount, sides, available, wallet, onPay, onClose }: Props) {
  const { t } = useTranslation();
  const { offer, acceptor } = found;
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
          <Row label={t('exchange.acceptor')}>{acceptor.name}</Row>
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
