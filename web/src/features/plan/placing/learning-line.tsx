import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { PlanDetail, PlanPlacements } from '@/lib/api/types';
import { Progress } from '@/ui/card';
import styles from './learning-line.module.css';
import { learningStage } from './rules';

type Props = { learning: PlanPlacements['learning']; plan: PlanDetail };

/** How far the algorithm has learned where a plan does well. */
export function LearningLine({ learning, plan }: Props) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const stage = learningStage(learning, plan);
  if (!stage) return null;
  const { clicks, of } = learning;
  const progress = t('placing.learning.progress', { clicks: integer(clicks), of: integer(of) });
  return (
    <div className={styles.learning}>
      <p className={styles.head}>
        <strong>{t(`placing.learning.${stage}`)}</strong>
        <span>{progress}</span>
      </p>
      <Progress percent={Math.floor((100 * clicks) / of)} label={t(`placing.learning.${stage}`)} />
      <p className={styles.text}>{t('placing.learning.text')}</p>
    </div>
  );
}
