import { useTranslation } from 'react-i18next';
import { SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { useDeskPart } from '@/ui/use-desk';
import { usePart } from '@/ui/use-part';
import { FundList } from '../components/fund-list';
import { LinkedEntry } from '../components/linked-entry';
import { MonthlyView } from '../components/monthly-view';
import { VIEWS } from '../rules';
import styles from './fund-details.module.css';

const PANEL = 'funds';
const loadDesk = () => import('../desk/funds-desk').then(({ load }) => load());
const loadStatement = () => import('../components/statement-view');

export default function FundDetailsPage() {
  const { t } = useTranslation();
  const [view, setView] = useChoice('view', VIEWS);
  const Statement = usePart(loadStatement, view === 'statement', () => setView('list'));
  const { Part: Desk, isAwaited } = useDeskPart(loadDesk);
  return (
    <>
      <div className={styles.bar}>
        <Tabs
          label={t('title.fund_details')}
          panel={PANEL}
          items={VIEWS.map((value) => ({ value, label: t(`funds.view.${value}`) }))}
          value={view}
          onChange={setView}
        />
      </div>
      <TabPanel id={PANEL} label={t(`funds.view.${view}`)}>
        {view === 'list' && isAwaited ? <SkeletonCards /> : null}
        {view === 'list' && !isAwaited ? Desk ? <Desk /> : <FundList /> : null}
        {view === 'monthly' ? <MonthlyView /> : null}
        {view === 'statement' ? Statement ? <Statement /> : <SkeletonCards /> : null}
      </TabPanel>
      <LinkedEntry />
    </>
  );
}
