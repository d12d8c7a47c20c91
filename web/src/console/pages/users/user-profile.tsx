import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { CopyButton } from '@/ui/copy-button';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import type { UserDetail } from './user';
import styles from './user-profile.module.css';
import { UserState } from './user-state';

/** Who the user is. Contact data is as the role may see it. */
export function UserProfile({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const none = t('list.none');
  const yesNo = (value: boolean) => t(value ? 'users.yes' : 'users.no');
  return (
    <Facts
      facts={[
        { label: t('users.state'), value: <UserState state={user.state} /> },
        { label: t('users.nickname'), value: user.nickname || none },
        { label: t('users.entry'), value: t(`users.entries.${user.entry}`) },
        { label: t('users.created'), value: <Moment at={user.created_at} /> },
        { label: t('users.email'), value: user.email || none },
        { label: t('users.email_confirmed'), value: yesNo(user.email_confirmed) },
        { label: t('users.phone'), value: user.phone || none },
        { label: t('users.language'), value: user.lang ?? none },
        { label: t('users.vip'), value: yesNo(user.vip) },
        { label: t('users.credit_score'), value: integer(user.credit_score) },
        { label: t('users.shop_level'), value: integer(user.shop_level) },
        { label: t('users.licence'), value: <span className="mono">{user.licenseKey ?? none}</span> },
        { label: t('users.operator'), value: <span className="mono">{user.proxy_operator_id ?? none}</span> },
        { label: t('users.bank_card'), value: yesNo(user.has_bank_card) },
        { label: t('users.pay_password'), value: yesNo(user.has_pay_password) },
        { label: t('users.reference'), value: <Copied text={user.payment_reference} /> },
        { label: t('users.id'), value: <Copied text={user.id} /> },
      ]}
    />
  );
}

function Copied({ text }: { text: string }) {
  const { t } = useTranslation('console');
  return (
    <span className={styles.copied}>
      <span className="mono">{text}</span>
      <CopyButton text={text} label={t('list.copy', { what: text })} />
    </span>
  );
}
