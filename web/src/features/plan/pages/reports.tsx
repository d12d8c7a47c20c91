import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { ChartNoAxesColumn, FileQuestionMark } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { LinkButton } from '@/ui/button';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import stack from '@/ui/stack.module.css';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { reportListQuery } from '../api/reports';
import { ReportCard } from '../components/report-card';
import { ReportTotals } from '../components/report-totals';
import { detailPath } from '../rules';

export async function prefetch(queryClient: QueryClient, query: URLSearchParams): Promise<unknown> {
  const id = query.get('id');
  return id ? queryClient.prefetchInfiniteQuery(reportListQuery(id)) : null;
}

/** Where the figures of a plan come from: its delivery reports. */
export default function ReportsPage() {
  const { t } = useTranslation();
  const id = useSearchParams()[0].get('id') ?? '';
  const query = useInfiniteQuery({ ...reportListQuery(id), enabled: id !== '' });
  // The first page is as old as the top of the list, so it has the sum of what is shown.
  const totals = query.data?.pages[0]?.totals;
  const { refetch } = query;
  usePageHeader({
    above: id === '' ? undefined : detailPath({ id }),
    onRefresh: useCallback(() => refetch(), [refetch]),
  });

  if (id === '') {
    return (
      <EmptyState
        icon={<FileQuestionMark size={28} />}
        title={t('plan.not_found')}
        action={<LinkButton to="/plan">{t('title.plans')}</LinkButton>}
      />
    );
  }
  return (
    <QueryList
      query={query}
      skeleton={<SkeletonCards height="12rem" />}
      empty={
        <EmptyState
          icon={<ChartNoAxesColumn size={28} />}
          title={t('reports.empty')}
          text={t('ad_center.no_delivery_text')}
        />
      }
    >
      {(reports) => (
        <div className={stack.gap4}>
          {totals ? <ReportTotals totals={totals} /> : null}
          <ul className={stack.gap3}>
            {reports.map((report) => (
              <li key={`${report.source} ${report.report_id}`}>
                <ReportCard report={report} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </QueryList>
  );
}
