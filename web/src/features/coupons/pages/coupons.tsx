import { useInfiniteQuery } from '@tanstack/react-query';
import { Ticket } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { usePageHeader } from '@/ui/page-header';
import { QueryList } from '@/ui/query-list';
import stack from '@/ui/stack.module.css';
import { EmptyState, SkeletonCards } from '@/ui/states';
import { TabPanel, Tabs } from '@/ui/tabs';
import { useChoice } from '@/ui/use-choice';
import { couponListQuery } from '../api/queries';
import { Claimables } from '../components/claimables';
import { CouponTicket } from '../components/coupon-ticket';
import { STATES } from '../rules';

const PANEL = 'coupons';

export default function CouponsPage() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const [state, setState] = useChoice('state', STATES);
  const query = useInfiniteQuery(couponListQuery(state));
  const first = query.data?.pages[0];
  const { refetch } = query;
  usePageHeader({ onRefresh: useCallback(() => refetch(), [refetch]) });

  return (
    <div className={stack.gap4}>
      <Claimables items={first?.claimable ?? []} />
      <Tabs
        look="underlined"
        label={t('title.coupons')}
        panel={PANEL}
        items={STATES.map((value) => ({
          value,
          label: t(`coupon.state.${value}`),
          count: first?.counts[value],
        }))}
        value={state}
        onChange={setState}
        formatCount={integer}
      />
      <TabPanel id={PANEL} label={t(`coupon.state.${state}`)}>
        <QueryList
          query={query}
          skeleton={<SkeletonCards height="6.5rem" />}
          empty={
            <EmptyState
              icon={<Ticket size={28} />}
              title={t(`coupon.empty.${state}`)}
              text={t('coupon.empty_text')}
            />
          }
        >
          {(coupons) => (
            <ul className={stack.gap3}>
              {coupons.map((coupon) => (
                <CouponTicket key={coupon.id} coupon={coupon} />
              ))}
            </ul>
          )}
        </QueryList>
      </TabPanel>
    </div>
  );
}
