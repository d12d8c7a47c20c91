import { useTranslation } from 'react-i18next';

/** Rules on what stands out. A release names those of `LIMITS` in its reason. */
const NOTABLE = [
  'return_on_spend',
  'revenue_without_spend',
  'return_on_budget',
  'revenue_per_thousand',
  'spend_per_thousand',
  'above_budget',
  'before_put',
  'new_key',
] as const;

const LIMITS: readonly string[] = [
  'return_on_spend',
  'revenue_without_spend',
  'return_on_budget',
  'revenue_per_thousand',
];

export function isLimit(rule: string): boolean {
  return LIMITS.includes(rule);
}

/** The rule's meaning, with its name, which reasons use. A rule that this page does not know keeps its name. */
export function useNotable(): (rule: string) => string {
  const { t } = useTranslation('console');
  return (rule) => {
    const known = NOTABLE.find((name) => name === rule);
    return known ? t('delivery.rule_named', { meaning: t(`delivery.notables.${known}`), rule }) : rule;
  };
}
