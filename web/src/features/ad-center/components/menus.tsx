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

/** Links to everything else in the account. */
export function Menus() {
  return (
    <>
      <BenefitsMenu />
      <SecurityMenu />
    </>
  );
}

function BenefitsMenu() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const level = useQuery(userInfoQuery).data?.shop_level;
  return (
    <Menu title={t('ad_center.menu_benefits')}>
      <MenuLink to="/ad-center/coupons" icon={<Ticket size={ICON} />} label={t('title.coupons')} />
      <MenuLink to="/ad-center/activities" icon={<Gift size={ICON} />} label={t('title.activities')} />
      <MenuLink
        to="/ad-center/level"
        icon={<Store size={ICON} />}
        label={t('title.level')}
        value={level === undefined ? null : t('ad_center.menu_level_value', { level: integer(level) })}
      />
      <MenuLink
        to="/ad-center/operated"
        icon={<UserRoundCheck size={ICON} />}
        label={t('title.operated')}
        hint={t('ad_center.menu_follow_hint')}
      />
    </Menu>
  );
}

function SecurityMenu() {
  const { t } = useTranslation();
  const service = useService();
  const isSet = useQuery(userInfoQuery).data?.has_pay_password;
  return (
    <Menu title={t('ad_center.menu_account')}>
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
        value={isSet === false ? <Badge tone="warning">{t('ad_center.password_not_set')}</Badge> : null}
      />
      <MenuLink
        to="/ad-center/feedback"
        icon={<MessageSquareText size={ICON} />}
        label={t('title.feedback')}
      />
      <MenuButton icon={<Headset size={ICON} />} label={t('title.customer')} onClick={() => service.open()} />
    </Menu>
  );
}
