import { useQueryClient } from '@tanstack/react-query';
import { Globe, LogOut } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { canPush } from '@/domain/push/device';
import { userInfoQuery } from '@/domain/user-info';
import { AccountCard } from '@/features/account/components/account-card';
import { Headline, HelpCard } from '@/features/account/components/help-card';
import { BenefitsMenu, SecurityMenu, SupportMenu } from '@/features/account/components/menus';
import { LANGUAGES } from '@/i18n/languages';
import { useSession } from '@/lib/session/use-session';
import { BelowFold } from '@/ui/below-fold';
import { Menu, MenuButton } from '@/ui/menu';
import { usePageHeader } from '@/ui/page-header';
import stack from '@/ui/stack.module.css';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import { LANGUAGE_OVERLAY } from '../overlays';
import { parts } from '../parts';

const loadPushRow = () => import('@/features/account/components/push-row');

/** Everything about the user that is neither a figure nor a plan. */
export default function AccountPage() {
  const queryClient = useQueryClient();
  const refresh = useCallback(
    () => queryClient.refetchQueries({ queryKey: userInfoQuery.queryKey }),
    [queryClient],
  );
  usePageHeader({ onRefresh: refresh });
  return (
    <div className={stack.columns}>
      <div className={stack.gap4}>
        <AccountCard />
        <BenefitsMenu />
        <BelowFold>
          <SecurityMenu />
        </BelowFold>
      </div>
      <div className={stack.gap4}>
        <BelowFold>
          <SupportMenu />
          <HelpCard />
          <SettingsMenu />
          <Headline />
        </BelowFold>
      </div>
    </div>
  );
}

function SettingsMenu() {
  const { t } = useTranslation();
  const { lang, entry } = useSession();
  // The header of this page shows the sheet.
  const language = useOverlay(LANGUAGE_OVERLAY);
  const PushRow = usePart(loadPushRow, canPush(), () => undefined);
  return (
    <Menu title={t('account.settings')}>
      <MenuButton
        icon={<Globe size={20} />}
        label={t('header.language')}
        value={LANGUAGES.find(({ code }) => code === lang)?.nativeName}
        onClick={language.open}
      />
      {PushRow ? <PushRow /> : null}
      {entry === 'register' ? <LogoutItem /> : null}
    </Menu>
  );
}

function LogoutItem() {
  const { t } = useTranslation();
  const overlay = useOverlay('logout');
  const LogoutDialog = usePart(parts.logoutDialog, overlay.isOpen, overlay.close);
  return (
    <>
      <MenuButton icon={<LogOut size={20} />} label={t('header.logout')} onClick={overlay.open} />
      {LogoutDialog ? <LogoutDialog isOpen={overlay.isOpen} onClose={overlay.close} /> : null}
    </>
  );
}
