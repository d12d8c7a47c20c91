import { type ComponentType, lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, Route, Routes } from 'react-router';
import { useStore } from '@/lib/use-store';
import { LinkButton } from '@/ui/button';
import { mayCall, type Role } from '../api/roles';
import { PAGES, type PagePath, pagesFor } from '../pages';
import { LOADERS } from '../routes';
import { staffSession } from '../session/store';
import { PageHead } from '../ui/page-head';

const COMPONENTS = new Map<string, ComponentType>(PAGES.map(({ path }) => [path, lazy(LOADERS[path])]));

const OWN_SECURITY = '/own-security' satisfies PagePath;

/** The page at the address, or where a second factor is set up while the server wants that first. */
export function PageSwitch({ role }: { role: Role }) {
  const first = pagesFor(role)[0];
  const mustSetUpFactor = useStore(staffSession, (state) => state.mustSetUpFactor);
  const OwnSecurity = COMPONENTS.get(OWN_SECURITY);
  if (mustSetUpFactor && OwnSecurity) return <OwnSecurity />;
  return (
    <Routes>
      {PAGES.map(({ path, needs }) => {
        const Page = needs === null || mayCall(role, needs) ? COMPONENTS.get(path) : NoAccess;
        return Page ? <Route key={path} path={path} element={<Page />} /> : null;
      })}
      {first ? <Route path="/" element={<Navigate to={first.path} replace />} /> : null}
      <Route path="*" element={<NotFound />} />
    </Routes>
  );
}

/** The server refuses what the page reads, so it is not even tried. */
function NoAccess() {
  const { t } = useTranslation('console');
  return (
    <>
      <PageHead title={t('frame.no_access_title')} />
      <p>{t('frame.no_access_text')}</p>
    </>
  );
}

function NotFound() {
  const { t } = useTranslation('console');
  return (
    <>
      <PageHead title={t('frame.not_found_title')} />
      <p>{t('frame.not_found_text')}</p>
      <div>
        <LinkButton to="/" tone="secondary">
          {t('frame.to_start')}
        </LinkButton>
      </div>
    </>
  );
}
