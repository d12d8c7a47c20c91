import { useQuery } from '@tanstack/react-query';
import { MessageCircle, ShieldCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { DepositMethod } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { Row, Rows } from '@/ui/card';
import { CopyButton } from '@/ui/copy-button';
import { NumberedList } from '@/ui/numbered-list';
import { Sheet } from '@/ui/sheet';
import { basicConfigQuery } from '../basic-config';
import { useService } from '../service/service-store';
import { userInfoQuery } from '../user-info';
import styles from './deposit-sheet.module.css';
import { groupsOfFour } from './reference';

/** The ways to deposit, the reference that identifies the user's payment, and the contact that credits it. */
export default function DepositSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const service = useService();
  const user = useQuery(userInfoQuery).data;
  const subtitle = user ? t('wallet.deposit_subtitle', { username: user.username }) : undefined;
  const subject = t('wallet.deposit');
  return (
    <Sheet
      isOpen={isOpen}
      onClose={onClose}
      title={t('wallet.deposit')}
      footer={
        <Button wide large onClick={() => service.open({ variant: 'recharge', subject, subtitle })}>
          <MessageCircle size={20} aria-hidden="true" />
          {t('wallet.deposit_service')}
        </Button>
      }
    >
      <p className={styles.safe}>
        <ShieldCheck size={20} aria-hidden="true" />
        {t('wallet.no_private_accounts')}
      </p>
      {/* A copy of the user from an older version has no reference. */}
      {user?.payment_reference ? (
        <div className={styles.reference}>
          <Copyable
            label={t('wallet.payment_reference')}
            text={user.payment_reference}
            shown={groupsOfFour(user.payment_reference)}
            copyLabel={t('wallet.copy_reference')}
          />
          <p className={styles.hint}>{t('wallet.payment_reference_text')}</p>
        </div>
      ) : null}
      <Methods />
      <p className={styles.lead}>{t('wallet.deposit_lead')}</p>
      <NumberedList>
        <li>{t('wallet.deposit_tip_contact')}</li>
        <li>{t('wallet.deposit_tip_name')}</li>
        <li>{t('wallet.deposit_tip_credit')}</li>
      </NumberedList>
      {user ? (
        <Copyable
          label={t('auth.username')}
          text={user.username}
          shown={user.username}
          copyLabel={t('wallet.copy_username')}
        />
      ) : null}
    </Sheet>
  );
}

function Methods() {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(basicConfigQuery(i18n.language));
  if (!data || data.deposit_methods.length === 0) return null;
  return (
    <section className={styles.methods} aria-label={t('wallet.deposit_methods')}>
      <h3>{t('wallet.deposit_methods')}</h3>
      <ul>
        {data.deposit_methods.map((method) => (
          <li key={method.id}>
            <Method method={method} currency={data.currency} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Method({ method, currency }: { method: DepositMethod; currency: string }) {
  const { t } = useTranslation();
  const limits = useLimits(method, currency);
  return (
    <>
      <strong className={styles.method}>{method.name}</strong>
      <Rows>
        {limits ? <Row label={t('wallet.deposit_amount')}>{limits}</Row> : null}
        {method.fee ? <Row label={t('wallet.deposit_fee')}>{method.fee}</Row> : null}
        {method.arrival ? <Row label={t('wallet.deposit_arrival')}>{method.arrival}</Row> : null}
      </Rows>
    </>
  );
}

/** The limits of one deposit in words; null without any. */
function useLimits({ min, max }: DepositMethod, currency: string): string | null {
  const { t } = useTranslation();
  const { money } = useFormats();
  const amount = (value: string) => `${money(value)} ${currency}`;
  if (min && max) return t('wallet.deposit_range', { min: money(min), max: amount(max) });
  if (min) return t('wallet.deposit_from', { min: amount(min) });
  return max ? t('wallet.deposit_to', { max: amount(max) }) : null;
}

type CopyableProps = { label: string; text: string; shown: string; copyLabel: string };

function Copyable({ label, text, shown, copyLabel }: CopyableProps) {
  return (
    <div className={styles.copy}>
      <div>
        <span>{label}</span>
        <strong>{shown}</strong>
      </div>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}
