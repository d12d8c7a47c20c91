import { WifiOff } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router';
import { useFormats } from '@/i18n/format';
import { lastSeenStore } from '@/lib/last-seen';
import { useOnline } from '@/lib/online';
import { useSession } from '@/lib/session/use-session';
import { updateStore } from '@/lib/update';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { cx } from '@/ui/cx';
import { Skeleton } from '@/ui/states';
import { usePart } from '@/ui/use-part';
import { Guard } from './guard';
import { Header } from './header';
import { LegalFooter } from './legal-footer';
import { arrivals, fetchRest, pageOf } from './page-loader';
import { parts } from './parts';
import { LOGIN_PATH, NOT_FOUND_PATH, type RouteSpec, routeOf } from './routes';
import { useScroll } from './scroll';
import { Service } from './service';
import styles from './shell.module.css';
import type { UserFrameProps } from './user-frame';

/** By then the first page has loaded. */
const FETCH_AHEAD_MS = 4_000;

/** The frame around every page: offline banner, header, tab bar. */
export function Shell() {
  const { pathname } = useLocation();
  const { token } = useSession();
  const main = useRef<HTMLElement>(null);
  const route = routeOf(pathname);
  const tabs = token !== null && route?.login === true;
  const hasTabBar = tabs && route?.tabBar === true;
  useScroll();
  useEffect(() => {
    const timer = setTimeout(() => void fetchRest(), FETCH_AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div
      className={cx(
        styles.shell,
        tabs && styles.withRail,
        hasTabBar && styles.withTabs,
        route?.wide && styles.wide,
      )}
    >
      <OfflineBanner />
      <UpdateOffer />
      <ArrivalBar />
      {route?.header ? <Header notes={route.header} /> : null}
      <main ref={main} className={styles.main}>
        {tabs ? <Refreshing /> : null}
        <Suspense fallback={<PageSkeleton />}>
          <Screen route={route} pathname={pathname} />
        </Suspense>
      </main>
      <LegalFooter onPhones={route?.legal === true} />
      {token !== null ? <Frame tabs={tabs ? { isOnPhones: hasTabBar } : null} /> : null}
      <Service />
    </div>
  );
}

// Parts arrive in components of their own: in the shell, each would render the whole page again.

function Refreshing() {
  const PullToRefresh = usePart(parts.pullToRefresh, true, () => undefined);
  return PullToRefresh ? <PullToRefresh /> : null;
}

function Frame({ tabs }: UserFrameProps) {
  const UserFrame = usePart(parts.userFrame, true, () => undefined);
  return UserFrame ? <UserFrame tabs={tabs} /> : null;
}

/** Paths have no parameters, so a table lookup finds the page. */
function Screen({ route, pathname }: { route: RouteSpec | undefined; pathname: string }) {
  if (!route) return <Navigate to={pathname === '/' ? LOGIN_PATH : NOT_FOUND_PATH} replace />;
  const Page = pageOf(route);
  return (
    <Guard route={route}>
      <Page />
    </Guard>
  );
}

function OfflineBanner() {
  const online = useOnline();
  return (
    <div role="status">
      {online ? null : (
        <p className={styles.offline}>
          <WifiOff size={16} aria-hidden="true" />
          <OfflineText />
        </p>
      )}
    </div>
  );
}

/** Without any data of this visit, says how old the user's last look is. */
function OfflineText() {
  const { t } = useTranslation();
  const { time, moment } = useFormats();
  const { at, isFresh } = useStore(lastSeenStore);
  if (at === null || isFresh) return t('common.offline');
  const seen = new Date(at);
  const isToday = seen.toDateString() === new Date().toDateString();
  return t('common.offline_last_seen', { time: isToday ? time(seen) : moment(seen.toISOString()) });
}

/** The user decides when: a reload in between would cost what is being typed. */
function UpdateOffer() {
  const { t } = useTranslation();
  const isOffered = useStore(updateStore);
  const isOnline = useOnline();
  return (
    <div role="status">
      {isOffered && isOnline ? (
        <div className={styles.update}>
          <span>{t('common.update_available')}</span>
          <Button tone="quiet" onClick={() => location.reload()}>
            {t('common.update_now')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** The previous page stays visible while a page loads, below this progress bar. */
function ArrivalBar() {
  const { t } = useTranslation();
  const isAwaited = useStore(arrivals, (count) => count > 0);
  return isAwaited ? (
    <div className={styles.arrival} role="progressbar" aria-label={t('common.loading')} />
  ) : null;
}

function PageSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={styles.loading} role="status" aria-label={t('common.loading')}>
      <Skeleton height="9rem" />
      <Skeleton height="6rem" />
      <Skeleton height="6rem" />
    </div>
  );
}
