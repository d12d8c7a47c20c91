import { useTranslation } from 'react-i18next';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { FundList } from '../components/fund-list';
import { MonthlyView } from '../components/monthly-view';
import { StatementView } from '../components/statement-view';
import { VIEWS } from '../rules';
import styles from './fund-details.module.css';

const PANEL = 'funds';
const CONTENT = { list: FundList, monthly: MonthlyView, statement: StatementView };

export default function FundDetailsPage() {
  const { t } = useTranslation();
  const [view, setView] = useChoice('view', VIEWS);
  const Content = CONTENT[view];
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
        <Content />
      </TabPanel>
    </>
  );
}
