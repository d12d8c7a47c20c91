import { useTranslation } from 'react-i18next';
import { useStore } from '@/lib/use-store';
import stack from '@/ui/stack.module.css';
import { staffSession } from '../../session/store';
import { PageHead } from '../../ui/page-head';
import { OwnPassword } from './own-password-panel';
import { PasskeysPanel } from './passkeys-panel';
import { SecondFactorPanel } from './second-factor-panel';

/** What members of staff change about their own access. */
export default function OwnSecurityPage() {
  const { t } = useTranslation('console');
  const mustSetUpFactor = useStore(staffSession, (state) => state.mustSetUpFactor);
  return (
    <>
      <PageHead title={t('own_security.title')} />
      {mustSetUpFactor ? <p role="alert">{t('session.set_up_needed')}</p> : null}
      <div className={stack.columns}>
        <div className={stack.gap4}>
          <SecondFactorPanel />
          <OwnPassword />
        </div>
        <PasskeysPanel />
      </div>
    </>
  );
}
