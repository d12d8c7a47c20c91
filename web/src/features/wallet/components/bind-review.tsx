import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PaySheet } from '@/domain/pay/pay-sheet';
import stack from '@/ui/stack.module.css';
import styles from './bind-review.module.css';
import type { Binding } from './use-binding';

type Props = { binding: Binding; asksPassword: boolean; account: string; children: ReactNode };

/** Shows the full account in large type before it is bound, because a typo would send money elsewhere. */
export function BindReview({ binding, asksPassword, account, children }: Props) {
  const { t } = useTranslation();
  return (
    <PaySheet
      title={t('bind.review_title')}
      confirmLabel={t('bind.confirm')}
      asksPassword={asksPassword}
      summary={t('bind.review_text')}
      onPay={binding.onPay}
      onClose={binding.review.close}
    >
      <div className={stack.gap4}>
        <p className={styles.account}>{account}</p>
        <p className={styles.lead}>{t('bind.review_text')}</p>
        {children}
      </div>
    </PaySheet>
  );
}
