import { useInfiniteQuery } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { FlowList } from '@/domain/flow/flow-list';
import { useFormats } from '@/i18n/format';
import type { FlowEntry } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { Select } from '@/ui/select';
import { EmptyState } from '@/ui/states';
import { useChoice } from '@/ui/use-choice';
import { useOverlay } from '@/ui/use-overlay';
import { fundListQuery } from '../api/queries';
import { isFlowType, MONTHS_BACK, recentMonths, TYPE_CHOICES } from '../rules';
import { EntrySheet } from './entry-sheet';
import styles from './fund-list.module.css';

export function FundList() {
  const { t } = useTranslation();
  const { month: monthText } = useFormats();
  const months = useMemo(() => ['all', ...recentMonths(new Date(), MONTHS_BACK)], []);
  const [type, setType] = useChoice('type', TYPE_CHOICES);
  const [month, setMonth] = useChoice('month', months);
  const query = useInfiniteQuery(
    fundListQuery(isFlowType(type) ? type : undefined, month === 'all' ? undefined : month),
  );
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });
  const details = useOverlay('entry');
  const [opened, setOpened] = useState<FlowEntry | null>(null);
  const filtered = type !== 'all' || month !== 'all';

  return (
    <>
      <div className={styles.bar}>
        <div className={styles.filters}>
          <Select
            label={t('funds.type')}
            value={type}
            options={TYPE_CHOICES.map((value) => ({
              value,
              label: value === 'all' ? t('funds.all_types') : t(`flow.${value}`),
            }))}
            onChange={(value) => setType(value as typeof type)}
          />
          <Select
            label={t('funds.month')}
            value={month}
            options={months.map((value) => ({
              value,
              label: value === 'all' ? t('funds.all_months') : monthText(value),
            }))}
            onChange={setMonth}
          />
        </div>
      </div>
      <QueryList query={query} empty={<NoFunds filtered={filtered} />}>
        {(entries) => (
          <Card>
            <FlowList
              entries={entries}
              linked
              onOpen={(entry) => {
                setOpened(entry);
                details.open();
              }}
            />
          </Card>
        )}
      </QueryList>
      {opened ? <EntrySheet entry={opened} isOpen={details.isOpen} onClose={details.close} /> : null}
    </>
  );
}

function NoFunds({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation();
  const [, setQuery] = useSearchParams();
  return (
    <EmptyState
      icon={<ReceiptText size={28} />}
      title={t(filtered ? 'funds.empty_filtered' : 'funds.empty')}
      text={t(filtered ? 'funds.empty_filtered_text' : 'funds.empty_text')}
      action={
        filtered ? (
          <LinkButton
            tone="secondary"
            to="/wallet/fund-details"
            replace
            onClick={() => setQuery({}, { replace: true })}
          >
            {t('funds.clear')}
          </LinkButton>
        ) : null
      }
    />
  );
}
