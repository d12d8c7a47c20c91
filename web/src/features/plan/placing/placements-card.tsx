import type { UseQueryResult } from '@tanstack/react-query';
import { ChevronDown, MapPin } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanDetail, PlanPlacements } from '@/lib/api/types';
import { Button } from '@/ui/button';
import { EmptyState, Skeleton } from '@/ui/states';
import { useDeskPart } from '@/ui/use-desk';
import { LearningLine } from './learning-line';
import styles from './placements-card.module.css';
import { PlacementsList } from './placements-list';
import { QueryCard } from './query-card';
import { FIRST_PLACEMENTS, REASONS, rateScale, totalSpend } from './rules';

const loadTable = () => import('./desk/placements-table').then(({ load }) => load());

type Props = { plan: PlanDetail; query: UseQueryResult<PlanPlacements> };

/** Where a plan was shown, and why there. */
export function PlacementsCard({ plan, query }: Props) {
  const { t } = useTranslation();
  return (
    <QueryCard title={t('placing.title')} query={query} height="30rem">
      {(placements) => <Placements plan={plan} placements={placements} />}
    </QueryCard>
  );
}

function Placements({ plan, placements }: { plan: PlanDetail; placements: PlanPlacements }) {
  const { t } = useTranslation();
  const { recent } = useFormats();
  const { items, learning, reported_until } = placements;
  if (items.length === 0) {
    return (
      <EmptyState
        icon={<MapPin size={28} />}
        title={t('placing.empty')}
        text={t('ad_center.no_delivery_text')}
      />
    );
  }
  return (
    <>
      <p className={styles.reported}>
        {reported_until
          ? t('ad_center.reported_until', { time: recent(reported_until) })
          : t('ad_center.not_reported')}
      </p>
      <LearningLine learning={learning} plan={plan} />
      <Items items={items} />
      <Meaning items={items} />
    </>
  );
}

function Items({ items }: Pick<PlanPlacements, 'items'>) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const [isWhole, setWhole] = useState(false);
  const { Part: Table, isAwaited } = useDeskPart(loadTable);
  if (isAwaited) return <Skeleton height="24rem" />;
  const shown = {
    items: isWhole ? items : items.slice(0, FIRST_PLACEMENTS),
    scale: rateScale(items),
    total: totalSpend(items),
  };
  return (
    <>
      {Table ? <Table {...shown} /> : <PlacementsList {...shown} />}
      {items.length > FIRST_PLACEMENTS ? (
        <Button
          className={styles.all}
          tone="secondary"
          wide
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t('placing.fewer') : t('placing.all', { total: integer(items.length) })}
        </Button>
      ) : null}
    </>
  );
}

/** Says what the figures mean, and those reasons that are given. */
function Meaning({ items }: Pick<PlanPlacements, 'items'>) {
  const { t } = useTranslation();
  const given = REASONS.filter((reason) => items.some((item) => item.reason === reason));
  return (
    <details className={styles.meaning}>
      <summary>
        {t('placing.meaning')}
        <ChevronDown size={18} aria-hidden="true" />
      </summary>
      <dl>
        <div>
          <dt>{t('figure.ctr')}</dt>
          <dd>{t('placing.ctr_text')}</dd>
        </div>
        {given.length > 0 ? (
          <div>
            <dt>{t('placing.share')}</dt>
            <dd>{t('placing.share_text')}</dd>
          </div>
        ) : null}
        {given.map((reason) => (
          <div key={reason}>
            <dt>{t(`placing.reason.${reason}`)}</dt>
            <dd>{t(`placing.why.${reason}`)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
