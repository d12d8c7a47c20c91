import { WifiOff } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation } from 'react-router';
import { useOnline } from '@/lib/online';
import { useSession } from '@/lib/session/use-session';
import { useStore } from '@/lib/use-store';
import { cx } from '@/ui/cx';
import { PullToRefresh } from '@/ui/pull-to-refresh';
import { Skeleton } from '@/ui/states';
import { fetchAhead } from '@/ui/use-part';
import { Guard } from './guard';
import { Header } from './header';
import { arrivals, fetchMainPages, pageOf } from './page-loader';
import { parts } from './parts';
import { LOGIN_PATH, NOT_FOUND_PATH, type RouteSpec, routeOf } from './routes';
import { useScroll } from './scroll';
import { Service } from './service';
import styles from './shell.module.css';
import { TabBar } from './tab-bar';

/** By then the first page has loaded. Prefetched parts open at once, and offline. */
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
    const timer = setTimeout(() => {
      fetchAhead(Object.values(parts));
      fetchMainPages();
    }, FETCH_AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={cx(styles.shell, tabs && styles.withRail, hasTabBar && styles.withTabs)}>
      <OfflineBanner />
      <ArrivalBar />
      {route?.header ? <Header notes={route.header} /> : null}
      <main ref={main} className={styles.main}>
        <PullToRefresh />
        <Suspense fallback={<PageSkeleton />}>
          <Screen route={route} pathname={pathname} />
        </Suspense>
      </main>
      {tabs ? <TabBar isOnPhones={hasTabBar} /> : null}
      <Service />
    </div>
  );
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
  const { t } = useTranslation();
  const online = useOnline();
  return (
    <div role="status">
      {online ? null : (
        <p className={styles.offline}>
          <WifiOff size={16} aria-hidden="true" />
          {t('common.offline')}
        </p>
      )}
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
