import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Bell, Globe, LogOut } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { followOtherTabs } from '@/features/notifications/api/other-tabs';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { closeHost, hasHost } from '@/lib/host';
import { useSession } from '@/lib/session/store';
import { useStore } from '@/lib/store';
import { IconButton, IconLink } from '@/ui/button';
import { cx } from '@/ui/cx';
import { pageHeaderStore } from '@/ui/page-header';
import { useOverlay } from '@/ui/use-overlay';
import { LanguageSheet } from './language-sheet';
import { LogoutDialog } from './logout-dialog';
import type { HeaderNotes } from './routes';
import { backStep, badgeText } from './rules';
import styles from './shell.module.css';

export function Header({ notes }: { notes: HeaderNotes }) {
  const { t } = useTranslation();
  const { token, entry } = useSession();
  const own = useStore(pageHeaderStore);
  const title = own.title ?? (notes.title ? t(notes.title) : null);
  const name = t('common.app_name');

  useEffect(() => {
    document.title = title ? `${title} · ${name}` : name;
  }, [title, name]);

  return (
    <header
      className={cx(
        styles.header,
        notes.transparent && styles.transparent,
        notes.transparent === 'light' && styles.light,
      )}
    >
      <div className={styles.bar}>
        <div className={styles.start}>
          <BackButton notes={notes} onBack={own.onBack} />
        </div>
        <Title text={notes.transparent ? null : title} />
        <div className={styles.end}>
          {notes.language ? <LanguageButton /> : null}
          {notes.bell && token ? <BellLink /> : null}
          {notes.logout && entry === 'register' ? <LogoutButton /> : null}
        </div>
      </div>
    </header>
  );
}

/** A change of page is announced by moving focus to its title. */
function Title({ text }: { text: string | null }) {
  const { pathname } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return text ? (
    <h1 ref={heading} className={styles.title} tabIndex={-1}>
      {text}
    </h1>
  ) : (
    <span />
  );
}

function BackButton({ notes, onBack }: { notes: HeaderNotes; onBack: (() => void) | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { key } = useLocation();
  const step = backStep(notes.back, hasHost(), key !== 'default');
  if (!step && !onBack) return null;

  const go = () => {
    if (onBack) onBack();
    else if (!step) return;
    else if ('to' in step) navigate(step.to);
    else if (step.step === 'history') navigate(-1);
    else closeHost();
  };
  return (
    <IconButton label={t('common.back')} onClick={go}>
      <ArrowLeft size={24} aria-hidden="true" />
    </IconButton>
  );
}

function BellLink() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  useEffect(() => followOtherTabs(queryClient), [queryClient]);
  const unread = useQuery(unreadCountQuery).data?.unread_total ?? 0;
  const badge = badgeText(unread);
  const label = unread > 0 ? t('header.notifications_unread', { count: unread }) : t('title.notifications');
  return (
    <IconLink to="/notification" label={label}>
      <Bell size={22} aria-hidden="true" />
      {badge ? (
        <span className={styles.badge} aria-hidden="true">
          {badge}
        </span>
      ) : null}
    </IconLink>
  );
}

function LanguageButton() {
  const { t } = useTranslation();
  const overlay = useOverlay('language');
  return (
    <>
      <IconButton label={t('header.language')} onClick={overlay.open}>
        <Globe size={22} aria-hidden="true" />
      </IconButton>
      {overlay.isOpen ? <LanguageSheet onClose={overlay.close} /> : null}
    </>
  );
}

function LogoutButton() {
  const { t } = useTranslation();
  const overlay = useOverlay('logout');
  return (
    <>
      <IconButton label={t('header.logout')} onClick={overlay.open}>
        <LogOut size={22} aria-hidden="true" />
      </IconButton>
      <LogoutDialog isOpen={overlay.isOpen} onClose={overlay.close} />
    </>
  );
}
