import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { FlowList } from '@/domain/flow/flow-list';
import { propertyQuery } from '@/domain/property';
import { useFormats } from '@/i18n/format';
import type { FlowEntry, Property, WalletAccount } from '@/lib/api/types';
import { LinkButton } from '@/ui/button';
import { Card } from '@/ui/card';
import { Money } from '@/ui/money';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import { Select } from '@/ui/select';
import { EmptyState, Skeleton } from '@/ui/states';
import { choiceOf, useChoice } from '@/ui/use-choice';
import { useOverlay } from '@/ui/use-overlay';
import { useQueryPatch } from '@/ui/use-query-patch';
import { fundListQuery } from '../api/queries';
import { ACCOUNTS, FIGURE_OF, MONTHS_BACK, recentMonths, typesIn } from '../rules';
import { EntrySheet } from './entry-sheet';
import styles from './fund-list.module.css';

export function FundList() {
  const { filters, account, type, month } = useFundFilters();
  const query = useInfiniteQuery(
    fundListQuery(account, type === 'all' ? undefined : type, month === 'all' ? undefined : month),
  );
  const property = useQuery(propertyQuery);
  const { refetch } = query;
  const { refetch: refetchProperty } = property;
  usePageHeader({
    onRefresh: useCallback(() => Promise.all([refetch(), refetchProperty()]), [refetch, refetchProperty]),
  });
  const details = useOverlay('entry');
  const [opened, setOpened] = useState<FlowEntry | null>(null);
  const isPart = type !== 'all' || month !== 'all';

  return (
    <>
      {filters}
      <Balance account={account} property={property.data} isPart={isPart} />
      <QueryList query={query} empty={<NoFunds filtered={isPart || account !== 'available'} />}>
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

/** The choices of balance, type and month, which are in the URL. */
function useFundFilters() {
  const { t } = useTranslation();
  const { month: monthText } = useFormats();
  const months = useMemo(() => ['all', ...recentMonths(new Date(), MONTHS_BACK)], []);
  const [query] = useSearchParams();
  const patch = useQueryPatch();
  const account = choiceOf(query, 'account', ACCOUNTS);
  const types = typesIn(account);
  const [type, setType] = useChoice('type', types);
  const [month, setMonth] = useChoice('month', months);
  const setAccount = (next: WalletAccount) =>
    patch((current) => {
      // A type that does not move this balance would find nothing.
      const kept = choiceOf(current, 'type', typesIn(next));
      return { account: next === ACCOUNTS[0] ? null : next, type: kept === 'all' ? null : kept };
    });
  const filters = (
    <div className={styles.bar}>
      <div className={styles.filters}>
        <Select
          label={t('funds.account')}
          value={account}
          options={ACCOUNTS.map((value) => ({ value, label: t(`flow.account.${value}`) }))}
          onChange={(value) => setAccount(value as WalletAccount)}
        />
        <Select
          label={t('funds.type')}
          value={type}
          options={types.map((value) => ({
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
  );
  return { filters, account, type, month };
}

type BalanceProps = {
  account: WalletAccount;
  property: Property | undefined;
  /** A filter leaves out some of the movements that add up to the balance. */
  isPart: boolean;
};

function Balance({ account, property, isPart }: BalanceProps) {
  const { t } = useTranslation();
  return (
    <section className={styles.balance} aria-label={t(`flow.account.${account}`)}>
      <strong className={styles.sum}>
        {property ? (
          <Money value={property[FIGURE_OF[account]]} currency={property.currency} />
        ) : (
          <Skeleton width="9rem" height="1.2em" />
        )}
      </strong>
      {isPart ? null : <p className={styles.hint}>{t('funds.account_hint')}</p>}
    </section>
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
