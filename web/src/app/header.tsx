import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Bell, Globe, Headset, LogOut } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { useService } from '@/domain/service/service-store';
import { followOtherTabs } from '@/features/notifications/api/other-tabs';
import { unreadCountQuery } from '@/features/notifications/api/queries';
import { closeHost, hasHost } from '@/lib/host';
import { useSession } from '@/lib/session/use-session';
import { useStore } from '@/lib/use-store';
import { IconButton, IconLink } from '@/ui/button';
import { cx } from '@/ui/cx';
import { pageHeaderStore } from '@/ui/page-header';
import { useOverlay } from '@/ui/use-overlay';
import { usePart } from '@/ui/use-part';
import styles from './header.module.css';
import { LANGUAGE_OVERLAY } from './overlays';
import { parts } from './parts';
import type { HeaderNotes } from './routes';
import { backStep, badgeText } from './rules';

export function Header({ notes }: { notes: HeaderNotes }) {
  const { t } = useTranslation();
  const { token, entry } = useSession();
  const ownTitle = useStore(pageHeaderStore, (page) => page.title);
  const onBack = useStore(pageHeaderStore, (page) => page.onBack);
  const title = ownTitle ?? (notes.title ? t(notes.title) : null);
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
          <BackButton notes={notes} onBack={onBack} />
        </div>
        <Title text={notes.transparent === 'plain' ? null : title} />
        <div className={styles.end}>
          {notes.service ? <ServiceButton /> : null}
          {notes.language ? <LanguageButton /> : null}
          {notes.bell && token ? <BellLink /> : null}
          {notes.logout && entry === 'register' ? <LogoutButton /> : null}
        </div>
      </div>
    </header>
  );
}

/** Announces a change of page by moving the focus to its title. */
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
  const isDetail = useStore(pageHeaderStore, (page) => page.isDetail);
  const above = useStore(pageHeaderStore, (page) => page.above);
  // Subscribes to the location, because `history.state` below changes with it.
  useLocation();
  const step = backStep(isDetail ? 'history' : notes.back, hasHost(), isDeep(window.history.state), above);
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

/** Whether this visit has a previous page. The router counts its entries; an address typed by hand has no count. */
function isDeep(state: unknown): boolean {
  const position = (state as { idx?: unknown } | null)?.idx;
  return typeof position === 'number' && position > 0;
}

function ServiceButton() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <IconButton label={t('header.service')} onClick={() => service.open()}>
      <Headset size={22} aria-hidden="true" />
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
  const overlay = useOverlay(LANGUAGE_OVERLAY);
  const LanguageSheet = usePart(parts.languageSheet, overlay.isOpen, overlay.close);
  return (
    <>
      <IconButton label={t('header.language')} onClick={overlay.open}>
        <Globe size={22} aria-hidden="true" />
      </IconButton>
      {overlay.isOpen && LanguageSheet ? <LanguageSheet onClose={overlay.close} /> : null}
    </>
  );
}

function LogoutButton() {
  const { t } = useTranslation();
  const overlay = useOverlay('logout');
  const LogoutDialog = usePart(parts.logoutDialog, overlay.isOpen, overlay.close);
  return (
    <>
      <IconButton label={t('header.logout')} onClick={overlay.open}>
        <LogOut size={22} aria-hidden="true" />
      </IconButton>
      {LogoutDialog ? <LogoutDialog isOpen={overlay.isOpen} onClose={overlay.close} /> : null}
    </>
  );
}
