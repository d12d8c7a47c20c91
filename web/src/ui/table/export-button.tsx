import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { useFormats } from '@/i18n/format';
import type { Page } from '@/lib/api/types';
import { saveTextFile } from '@/lib/save-file';
import { Button } from '../button';
import { toast } from '../toast';
import { type CsvColumn, csvTable, ROWS_MAX, readAll } from './export';
import styles from './export-button.module.css';
import { today } from './today';

type Props<R> = {
  /** The beginning of the file's name. */
  name: string;
  columns: readonly CsvColumn<R>[];
  load: (cursor: string | null) => Promise<Page<R>>;
};

/** Downloads all rows of a table, whether shown yet or not, with the columns that are shown. */
export function ExportButton<R>({ name, columns, load }: Props<R>) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const errorText = useErrorText();
  const [isRunning, setRunning] = useState(false);
  const [wasCut, setCut] = useState(false);
  const limit = integer(ROWS_MAX);
  const run = async () => {
    setRunning(true);
    try {
      const { rows, isCut } = await readAll(load);
      saveTextFile(`adfolio-${name}-${today()}.csv`, csvTable(columns, rows), 'text/csv;charset=utf-8');
      setCut(isCut);
      toast(t('desk.downloaded'));
    } catch (error) {
      toast(errorText(error), 'fail');
    } finally {
      setRunning(false);
    }
  };
  return (
    <>
      <Button tone="secondary" busy={isRunning} title={t('desk.download_limit', { limit })} onClick={run}>
        <Download size={18} aria-hidden="true" />
        {t('desk.download')}
      </Button>
      <p role="status" className={styles.cut}>
        {wasCut ? t('desk.cut_off', { limit }) : null}
      </p>
    </>
  );
}
