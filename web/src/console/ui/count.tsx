import { useFormats } from '@/i18n/format';

/** A whole number, grouped, whose digits align in a column. */
export function Count({ value }: { value: number }) {
  const { integer } = useFormats();
  return <span className="figure">{integer(value)}</span>;
}
