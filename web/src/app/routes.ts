import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';

/**
 * Where the header's back button leads when the page sets no handler of its own: nowhere (no button), out of the host
 * shell (the page has none before it), to a named route, or back in the history.
 */
export type Back = 'none' | 'host' | 'history' | `/${string}`;

export type HeaderNotes = {
  title: ParseKeys | null;
  back: Back;
  bell: boolean;
  language: boolean;
  logout: boolean;
  transparent?: boolean;
};

export type RouteSpec = {
  path: string;
  /** A visitor without a token is sent to the login. */
  login: boolean;
  /** Where a host shell comes in: without a session it leads to the open-account screen, not to the login. */
  entry?: boolean;
  /** Null: the page has no common header. */
  header: HeaderNotes | null;
  /** One of the main pages, between which the tab bar switches. */
  tabBar?: boolean;
  load: () => Promise<{ default: ComponentType }>;
};

const page = { bell: true, language: true, logout: false } as const;
const visitor = { title: null, back: 'none', bell: false, language: true, logout: false } as const;

export const routes: readonly RouteSpec[] = [
  { path: '/login', login: false, header: visitor, load: () => import('@/features/auth/pages/login') },
  {
    path: '/register',
    login: false,
    // The same header as the login's, with the way back to it in the page.
    header: visitor,
    load: () => import('@/features/auth/pages/register'),
  },
  {
    path: '/ad-welcome',
    login: false,
    header: { ...visitor, language: false, transparent: true },
    load: () => import('@/features/auth/pages/welcome'),
  },
  {
    path: '/entry',
    login: false,
    entry: true,
    header: null,
    load: () => import('@/features/auth/pages/entry'),
  },
  {
    path: '/ad-center',
    login: true,
    header: { ...page, title: 'title.ad_center', back: 'host', logout: true },
    tabBar: true,
    load: () => import('@/features/ad-center/pages/ad-center'),
  },
  {
    path: '/ad-center/coupons',
    login: true,
    header: { ...page, title: 'title.coupons', back: 'history' },
    load: () => import('@/features/coupons/pages/coupons'),
  },
  {
    path: '/plan',
    login: true,
    header: { ...page, title: 'title.plans', back: '/ad-center', logout: true },
    tabBar: true,
    load: () => import('@/features/plan/pages/plans'),
  },
  {
    path: '/plan/detail',
    login: true,
    header: { ...page, title: 'title.plan_detail', back: 'history' },
    load: () => import('@/features/plan/pages/plan-detail'),
  },
  {
    path: '/plan/goods-detail',
    login: true,
    header: { ...page, title: 'title.product', back: 'history', transparent: true },
    load: () => import('@/features/plan/pages/product-detail'),
  },
  {
    path: '/wallet',
    login: true,
    header: { ...page, title: 'title.wallet', back: '/ad-center' },
    tabBar: true,
    load: () => import('@/features/wallet/pages/wallet'),
  },
  {
    path: '/wallet/fund-details',
    login: true,
    header: { ...page, title: 'title.fund_details', back: 'history' },
    load: () => import('@/features/wallet/pages/fund-details'),
  },
  {
    path: '/notification',
    login: true,
    header: { ...page, title: 'title.notifications', back: 'history', bell: false },
    load: () => import('@/features/notifications/pages/notifications'),
  },
  {
    path: '/404',
    login: false,
    header: { ...visitor, title: 'title.not_found' },
    load: () => import('./pages/not-found'),
  },
];

export const NOT_FOUND_PATH = '/404';
export const HOME_PATH = '/ad-center';
export const LOGIN_PATH = '/login';
export const WELCOME_PATH = '/ad-welcome';

export function routeOf(pathname: string): RouteSpec | undefined {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  return routes.find((route) => route.path === path);
}
