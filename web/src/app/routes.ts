import type { QueryClient } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';

/**
 * Where the back button leads unless the page handles it: nowhere (no button), out of the host app (no button without
 * one), back in the history, or to a path.
 */
export type Back = 'none' | 'host' | 'history' | `/${string}`;

export type HeaderNotes = {
  title: ParseKeys | null;
  back: Back;
  bell: boolean;
  language: boolean;
  logout: boolean;
  /** Shows customer service in the header. Users find it in the pages. */
  service?: boolean;
  /** The header lies over the page's cover. `light`: the cover is dark and the header's content white. */
  transparent?: 'plain' | 'light';
};

export type PageModule = {
  default: ComponentType;
  /** Requests the data that the page first shows for a query string, before it is drawn. */
  prefetch?: (queryClient: QueryClient, query: URLSearchParams) => Promise<unknown>;
};

export type RouteSpec = {
  path: string;
  /** Links to the legal texts stand below the page on phones, too. */
  legal?: boolean;
  /** The page needs a login. */
  login: boolean;
  /** The entry point from a host app: without a session it leads to opening an account, not to the login. */
  entry?: boolean;
  /** A visitor's page that few see: its texts are among the rest, and load with it. */
  rare?: boolean;
  /** Null if the page has no common header. */
  header: HeaderNotes | null;
  /** A main page, listed in the tab bar. */
  tabBar?: boolean;
  /** Uses the whole width of a desk. Forms and texts keep their reading width. */
  wide?: boolean;
  load: () => Promise<PageModule>;
};

const page = { bell: true, language: true, logout: false } as const;
const visitor = { title: null, back: 'none', bell: false, language: true, logout: false } as const;
const bare = { bell: false, language: false, logout: false } as const;

export const routes: readonly RouteSpec[] = [
  {
    path: '/login',
    login: false,
    legal: true,
    header: { ...visitor, service: true },
    load: () => import('@/features/auth/pages/login'),
  },
  {
    path: '/register',
    login: false,
    legal: true,
    // The same header as the login; the page itself links back to it.
    header: { ...visitor, service: true },
    load: () => import('@/features/auth/pages/register'),
  },
  {
    path: '/ad-welcome',
    login: false,
    legal: true,
    header: { ...visitor, language: false, transparent: 'light' },
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
    path: '/not-me',
    login: false,
    rare: true,
    header: { ...visitor, service: true },
    load: () => import('@/features/auth/pages/not-me'),
  },
  {
    path: '/ad-center',
    login: true,
    wide: true,
    header: { ...page, title: 'title.ad_center', back: 'host', logout: true },
    tabBar: true,
    load: () => import('@/features/ad-center/pages/ad-center'),
  },
  {
    path: '/ad-center/activities',
    login: true,
    header: { ...page, title: 'title.activities', back: 'history' },
    load: () => import('@/features/coupons/pages/activities'),
  },
  {
    path: '/ad-center/coupons',
    login: true,
    header: { ...page, title: 'title.coupons', back: 'history' },
    load: () => import('@/features/coupons/pages/coupons'),
  },
  {
    path: '/ad-center/edit-login-password',
    login: true,
    header: { ...page, title: 'title.edit_login_password', back: 'history' },
    load: () => import('@/features/security/pages/edit-login-password'),
  },
  {
    path: '/ad-center/edit-pay-password',
    login: true,
    header: { ...page, title: 'title.edit_pay_password', back: 'history' },
    load: () => import('@/features/security/pages/edit-pay-password'),
  },
  {
    path: '/ad-center/feedback',
    login: true,
    header: { ...page, title: 'title.feedback', back: 'history' },
    load: () => import('@/features/support/pages/feedback'),
  },
  {
    path: '/ad-center/level',
    login: true,
    header: { ...page, title: 'title.level', back: 'history' },
    load: () => import('@/features/ad-center/pages/level'),
  },
  {
    path: '/ad-center/operated',
    login: true,
    header: { ...page, title: 'title.operated', back: 'history' },
    load: () => import('@/features/ad-center/pages/operated'),
  },
  {
    path: '/ad-center/ques-detail',
    login: true,
    header: { ...bare, title: 'title.ques_detail', back: 'history' },
    load: () => import('@/features/support/pages/question'),
  },
  {
    path: '/ad-center/security',
    login: true,
    header: { ...page, title: 'title.security', back: 'history' },
    load: () => import('@/features/security/pages/security'),
  },
  {
    path: '/customer',
    login: true,
    header: { ...bare, title: 'title.customer', back: 'history' },
    load: () => import('@/features/support/pages/customer'),
  },
  {
    path: '/plan',
    login: true,
    wide: true,
    header: { ...page, title: 'title.plans', back: '/ad-center', logout: true },
    tabBar: true,
    load: () => import('@/features/plan/pages/plans'),
  },
  {
    path: '/plan/detail',
    login: true,
    wide: true,
    header: { ...page, title: 'title.plan_detail', back: 'history' },
    load: () => import('@/features/plan/pages/plan-detail'),
  },
  {
    path: '/plan/reports',
    login: true,
    header: { ...page, title: 'title.reports', back: 'history' },
    load: () => import('@/features/plan/pages/reports'),
  },
  {
    path: '/plan/goods-detail',
    login: true,
    header: { ...page, title: 'title.product', back: 'history', transparent: 'plain' },
    load: () => import('@/features/plan/pages/product-detail'),
  },
  {
    path: '/wallet',
    login: true,
    wide: true,
    header: { ...page, title: 'title.wallet', back: 'history' },
    tabBar: true,
    load: () => import('@/features/wallet/pages/wallet'),
  },
  {
    path: '/wallet/fund-details',
    login: true,
    wide: true,
    header: { ...page, title: 'title.fund_details', back: 'history' },
    load: () => import('@/features/wallet/pages/fund-details'),
  },
  {
    path: '/wallet/withdraw',
    login: true,
    header: { ...page, title: 'title.withdraw', back: '/wallet' },
    load: () => import('@/features/wallet/pages/withdraw'),
  },
  {
    path: '/wallet/bind-card',
    login: true,
    header: { ...page, title: 'title.bind_card', back: 'history' },
    load: () => import('@/features/wallet/pages/bind-card'),
  },
  {
    path: '/wallet/foreign-exchange',
    login: true,
    header: { ...page, title: 'title.foreign_exchange', back: 'history', transparent: 'light' },
    load: () => import('@/features/exchange/pages/foreign-exchange'),
  },
  {
    path: '/wallet/set-password',
    login: true,
    header: { ...page, title: 'title.set_pay_password', back: 'history' },
    load: () => import('@/features/security/pages/set-pay-password'),
  },
  {
    path: '/account',
    login: true,
    legal: true,
    wide: true,
    header: { ...page, title: 'title.account', back: '/ad-center' },
    tabBar: true,
    load: () => import('./pages/account'),
  },
  {
    path: '/notification',
    login: true,
    header: { ...page, title: 'title.notifications', back: 'history' },
    load: () => import('@/features/notifications/pages/notifications'),
  },
  {
    path: '/legal/imprint',
    login: false,
    rare: true,
    header: { ...bare, title: 'legal.imprint', back: 'history' },
    load: () => import('@/features/support/pages/legal'),
  },
  {
    path: '/legal/terms',
    login: false,
    rare: true,
    header: { ...bare, title: 'legal.terms', back: 'history' },
    load: () => import('@/features/support/pages/legal'),
  },
  {
    path: '/legal/privacy',
    login: false,
    rare: true,
    header: { ...bare, title: 'legal.privacy', back: 'history' },
    load: () => import('@/features/support/pages/legal'),
  },
  {
    path: '/legal/fees',
    login: false,
    rare: true,
    header: { ...bare, title: 'legal.fees', back: 'history' },
    load: () => import('@/features/support/pages/legal'),
  },
  {
    path: '/404',
    login: false,
    header: { ...page, title: 'title.not_found', back: 'history' },
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
