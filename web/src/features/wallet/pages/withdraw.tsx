import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { fetchAhead, usePart } from '@/ui/use-part';
import { WithdrawForm } from '../components/withdraw-form';
import { WITHDRAW_VIEWS } from '../withdrawal';
import styles from './withdraw.module.css';

const PANEL = 'withdrawals';
const loadResult = () => import('../components/withdrawal-result');
const loadRecords = () => import('../components/withdrawal-records');

/** The withdrawal form, the state of one withdrawal (`?id=`), and the list of all. */
export default function WithdrawPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const [view, setView] = useChoice('view', WITHDRAW_VIEWS);
  const Records = usePart(loadRecords, view === 'records', () => setView('form'));
  const id = query.get('id');
  // What was withdrawn must be shown even if the connection is lost straight after.
  useEffect(() => void fetchAhead([loadResult]), []);
  const Result = usePart(loadResult, id !== null, () => undefined);
  if (id) return Result ? <Result id={id} /> : <SkeletonCards count={2} height="14rem" />;
  return (
    <>
      <div className={styles.tabs}>
        <Tabs
          label={t('withdraw.views')}
          panel={PANEL}
          items={WITHDRAW_VIEWS.map((value) => ({ value, label: t(`withdraw.view.${value}`) }))}
          value={view}
          onChange={setView}
        />
      </div>
      <TabPanel id={PANEL} label={t(`withdraw.view.${view}`)}>
        {view === 'form' ? <WithdrawForm /> : Records ? <Records /> : <SkeletonCards />}
      </TabPanel>
    </>
  );
}
