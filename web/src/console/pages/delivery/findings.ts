import { useTranslation } from 'react-i18next';

/** The rules of the gate. Their names never change. */
const RULES = [
  'clicks_above_impressions',
  'spend_without_impressions',
  'price_off_list',
  'price_missing',
  'not_allotted',
  'foreign_placement',
  'future_date',
  'restated_after_settlement',
  'click_rate',
  'click_burst',
  'round_numbers',
  'copied_day',
  'dribbled_report',
] as const;

/** What a rule of the gate finds. A rule that this page does not know keeps its name. */
export function useFinding(): (rule: string) => string {
  const { t } = useTranslation('console');
  return (rule) => {
    const known = RULES.find((name) => name === rule);
    return known ? t(`delivery.findings.${known}`) : rule;
  };
}
