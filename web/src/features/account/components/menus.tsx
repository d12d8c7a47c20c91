import { useQuery } from '@tanstack/react-query';
import {
  Gift,
  Headset,
  KeyRound,
  LockKeyhole,
  MessageSquareText,
  ShieldCheck,
  Store,
  Ticket,
  UserRoundCheck,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useService } from '@/domain/service/service-store';
import { userInfoQuery } from '@/domain/user-info';
import { useFormats } from '@/i18n/format';
import { Badge } from '@/ui/card';
import { Menu, MenuButton, MenuLink } from '@/ui/menu';

const ICON = 20;

/** Coupons and what else an account gets. */
export function BenefitsMenu() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const level = useQuery(userInfoQuery).data?.shop_level;
  return (
    <Menu title={t('account.benefits')}>
      <MenuLink
        to="/ad-center/level"
        icon={<Store size={ICON} />}
        label={t('title.level')}
        value={level === undefined ? null : t('account.level_value', { level: integer(level) })}
      />
      <MenuLink to="/ad-center/coupons" icon={<Ticket size={ICON} />} label={t('title.coupons')} />
      <MenuLink to="/ad-center/activities" icon={<Gift size={ICON} />} label={t('title.activities')} />
      <MenuLink
        to="/ad-center/operated"
        icon={<UserRoundCheck size={ICON} />}
        label={t('title.operated')}
        hint={t('account.follow_hint')}
      />
    </Menu>
  );
}

export function SecurityMenu() {
  const { t } = useTranslation();
  const isSet = useQuery(userInfoQuery).data?.has_pay_password;
  return (
    <Menu title={t('account.security')}>
      <MenuLink to="/ad-center/security" icon={<ShieldCheck size={ICON} />} label={t('title.security')} />
      <MenuLink
        to="/ad-center/edit-login-password"
        icon={<LockKeyhole size={ICON} />}
        label={t('title.edit_login_password')}
      />
      <MenuLink
        to={isSet === false ? '/wallet/set-password' : '/ad-center/edit-pay-password'}
        icon={<KeyRound size={ICON} />}
        label={t('title.edit_pay_password')}
        value={isSet === false ? <Badge tone="warning">{t('account.password_not_set')}</Badge> : null}
      />
    </Menu>
  );
}

/** People who help. The questions have a menu of their own. */
export function SupportMenu() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <Menu title={t('title.ques_detail')}>
      <MenuButton icon={<Headset size={ICON} />} label={t('title.customer')} onClick={() => service.open()} />
      <MenuLink
        to="/ad-center/feedback"
        icon={<MessageSquareText size={ICON} />}
        label={t('title.feedback')}
      />
    </Menu>
  );
}
