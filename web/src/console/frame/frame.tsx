import { CircleUser, Menu as MenuIcon, Search } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink, useLocation, useNavigate } from 'react-router';
import { useStore } from '@/lib/use-store';
import { IconButton } from '@/ui/button';
import { LogoMark } from '@/ui/logo';
import { SkeletonCards } from '@/ui/states';
import { DialogHost } from '../act/dialog-host';
import { useLiveUpdates } from '../live/live-updates';
import { GROUPS, type Group, type PageSpec, pagesFor } from '../pages';
import { logOut } from '../session/log-out';
import { staffSession } from '../session/store';
import { useStaff } from '../session/use-staff';
import { Menu } from '../ui/menu';
import { CommandPalette } from './command-palette';
import { CrashBoundary } from './crash-boundary';
import styles from './frame.module.css';
import { HelpDialog } from './help-dialog';
import { PageSwitch } from './page-switch';
import { useShortcuts } from './shortcuts';

type Opened = 'palette' | 'help' | 'pages' | null;

/** What is around every page: the menu of pages, the way to search, and the member's own menu. */
export function Frame() {
  const { t } = useTranslation('console');
  const staff = useStaff();
  const { pathname } = useLocation();
  const [opened, setOpened] = useState<Opened>(null);
  const page = useRef<HTMLElement>(null);
  const close = () => setOpened(null);
  useShortcuts({ onPalette: () => setOpened('palette'), onHelp: () => setOpened('help') });

  // A screen reader goes on at the new page, and the menu of a phone closes.
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what the effect is about
  useEffect(() => {
    setOpened((current) => (current === 'pages' ? null : current));
    if (!isFirst.current) page.current?.focus({ preventScroll: true });
    isFirst.current = false;
    window.scrollTo(0, 0);
  }, [pathname]);

  const mustSetUpFactor = useStore(staffSession, (state) => state.mustSetUpFactor);
  useLiveUpdates(!mustSetUpFactor);
  const pages = mustSetUpFactor ? [] : pagesFor(staff.role);
  return (
    <div className={styles.frame}>
      {/* A button, because the address belongs to the router. */}
      <button type="button" className={styles.skip} onClick={() => page.current?.focus()}>
        {t('frame.skip')}
      </button>
      <PageMenu pages={pages} isOpen={opened === 'pages'} onClose={close} />
      <div className={styles.column}>
        <div className={styles.bar}>
          <IconButton
            className={styles.menu}
            label={t('frame.open_menu')}
            aria-expanded={opened === 'pages'}
            onClick={() => setOpened('pages')}
          >
            <MenuIcon size={20} aria-hidden="true" />
          </IconButton>
          <button
            type="button"
            className={styles.search}
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => setOpened('palette')}
          >
            <Search size={16} aria-hidden="true" />
            <span>{t('frame.search_pages')}</span>
          </button>
          <OwnMenu onHelp={() => setOpened('help')} />
        </div>
        {/* The path of the page that is shown, which the address is ahead of while its code loads. */}
        <main className={styles.page} data-path={pathname} ref={page} tabIndex={-1}>
          {/* Without a key, so that a page stays until the code of the next is there. */}
          <CrashBoundary at={pathname}>
            <Suspense fallback={<SkeletonCards />}>
              <PageSwitch role={staff.role} />
            </Suspense>
          </CrashBoundary>
        </main>
      </div>
      <DialogHost />
      {opened === 'palette' ? <CommandPalette pages={pages} onClose={close} /> : null}
      {opened === 'help' ? <HelpDialog onClose={close} /> : null}
    </div>
  );
}

type PageMenuProps = { pages: readonly PageSpec[]; isOpen: boolean; onClose: () => void };

/** Beside the page, or on a phone above it. */
function PageMenu({ pages, isOpen, onClose }: PageMenuProps) {
  const { t } = useTranslation('console');
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    side.current?.querySelector('a')?.focus();
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose();
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isOpen, onClose]);
  return (
    <>
      <button
        type="button"
        className={styles.scrim}
        data-open={isOpen}
        aria-label={t('frame.close_menu')}
        onClick={onClose}
      />
      <nav className={styles.side} data-open={isOpen} aria-label={t('frame.pages')} ref={side}>
        <div className={styles.brand}>
          <LogoMark size={28} />
          {t('frame.name')}
        </div>
        <PageLinks pages={pages.filter(({ group }) => group === 'start')} />
        {GROUPS.filter((group) => group !== 'start').map((group) => (
          <PageGroup key={group} group={group} pages={pages} />
        ))}
      </nav>
    </>
  );
}

function PageGroup({ group, pages }: { group: Exclude<Group, 'start'>; pages: readonly PageSpec[] }) {
  const { t } = useTranslation('console');
  const own = pages.filter((page) => page.group === group);
  if (own.length === 0) return null;
  return (
    <div>
      <p className={styles.group}>{t(`frame.group.${group}`)}</p>
      <PageLinks pages={own} />
    </div>
  );
}

function PageLinks({ pages }: { pages: readonly PageSpec[] }) {
  const { t } = useTranslation('console');
  return (
    <ul>
      {pages.map(({ path, title }) => (
        <li key={path}>
          <NavLink className={styles.link ?? ''} to={path}>
            {t(title)}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

function OwnMenu({ onHelp }: { onHelp: () => void }) {
  const { t } = useTranslation('console');
  const navigate = useNavigate();
  const { username, role } = useStaff();
  const entries = [
    { id: 'security', label: t('frame.own_security'), act: () => navigate('/own-security') },
    { id: 'help', label: t('frame.shortcuts'), act: onHelp },
    { id: 'out', label: t('frame.log_out'), act: () => void logOut(null) },
  ];
  return (
    <Menu label={t('frame.account')} entries={entries}>
      <button type="button" className={styles.own} aria-label={`${t('frame.account')}: ${username}`}>
        <CircleUser size={20} aria-hidden="true" />
        <span className={styles.who}>
          {username} · {t(`frame.role.${role}`)}
        </span>
      </button>
    </Menu>
  );
}
