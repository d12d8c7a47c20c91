import { useQuery } from '@tanstack/react-query';
import { Headset } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NoUserData } from '@/domain/no-user-data';
import { useService } from '@/domain/service/service-store';
import { userInfoQuery } from '@/domain/user-info';
import { useFormats } from '@/i18n/format';
import { Button } from '@/ui/button';
import { Badge, Card } from '@/ui/card';
import { cx } from '@/ui/cx';
import { HeroCaption, HeroPanel } from '@/ui/hero-panel';
import { Money } from '@/ui/money';
import stack from '@/ui/stack.module.css';
import { Skeleton, SkeletonCards } from '@/ui/states';
import { levelsAround } from '../rules';
import styles from './level.module.css';

/** The ratings that customer service keeps for an account, each explained. Promises no benefits of a level. */
export default function LevelPage() {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const query = useQuery(userInfoQuery);
  const user = query.data;
  if (query.isPending) return <SkeletonCards height="9rem" />;
  if (!user) return <NoUserData error={query.error} onRetry={() => query.refetch()} />;
  return (
    <div className={stack.gap4}>
      <LevelCard level={user.shop_level} />
      <div className={stack.gap4}>
        <Fact
          label={t('ad_center.credit_score')}
          value={integer(user.credit_score)}
          text={t('level.credit_score_text')}
        />
        <Fact
          label={t('ad_center.deposit')}
          value={user.deposit ? <Money value={user.deposit} /> : <Skeleton height="1.45em" />}
          text={t('level.deposit_text')}
        />
        <Fact
          label={t('ad_center.vip')}
          value={
            <Badge tone={user.vip ? 'brand' : 'neutral'}>
              {t(user.vip ? 'level.vip_on' : 'level.vip_off')}
            </Badge>
          }
          text={t('level.vip_text')}
        />
      </div>
      <Ask />
    </div>
  );
}

function LevelCard({ level }: { level: number }) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  return (
    <HeroPanel aria-labelledby="level">
      <HeroCaption>{t('level.current')}</HeroCaption>
      <h2 id="level" className={styles.level}>
        {t('level.other_level', { level: integer(level) })}
      </h2>
      <ol className={styles.scale} aria-label={t('level.scale')}>
        {levelsAround(level).map((step) => (
          <li
            key={step}
            className={cx(styles.step, step <= level && styles.reached)}
            aria-current={step === level ? 'step' : undefined}
          >
            <span className="visually-hidden">
              {t(step === level ? 'level.current_level' : 'level.other_level', { level: integer(step) })}
            </span>
            <span aria-hidden="true">{integer(step)}</span>
          </li>
        ))}
      </ol>
      <p className={styles.text}>{t('level.shop_level_text')}</p>
    </HeroPanel>
  );
}

type FactProps = { label: string; value: ReactNode; text: string };

function Fact({ label, value, text }: FactProps) {
  return (
    <Card title={label} action={<p className={styles.value}>{value}</p>}>
      <p className={styles.meaning}>{text}</p>
    </Card>
  );
}

function Ask() {
  const { t } = useTranslation();
  const service = useService();
  return (
    <div className={stack.gap4}>
      <p className={styles.meaning}>{t('level.lead')}</p>
      <Button
        tone="secondary"
        large
        wide
        onClick={() => service.open({ subject: t('title.level'), subtitle: t('level.ask_text') })}
      >
        <Headset size={20} aria-hidden="true" />
        {t('level.ask')}
      </Button>
    </div>
  );
}
