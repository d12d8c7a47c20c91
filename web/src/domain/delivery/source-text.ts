import { useTranslation } from 'react-i18next';

const KNOWN = ['import', 'network', 'simulator'] as const;

/** A source of delivery reports in words. A network that is known by name keeps it. */
export function useSourceText(): (source: string) => string {
  const { t } = useTranslation();
  return (source) => {
    const known = KNOWN.find((one) => one === source);
    return known ? t(`plan.source.${known}`) : source;
  };
}
