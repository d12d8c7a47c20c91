import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import type { GetQuery } from '@/lib/api/contract';
import { saveTextFile } from '@/lib/save-file';
import type { Column, List, ListPath, RowOf } from './list';
import { FILE_ROWS, listFile } from './list-file';

type Options<P extends ListPath> = {
  title: string;
  list: List<P>;
  query: GetQuery<P>;
  /** Those that are shown, in their order. */
  columns: readonly Column<RowOf<P>>[];
};

/** Saves a list as a file, with progress, and stops when asked or when the page is left. */
export function useExport<P extends ListPath>({ title, list, query, columns }: Options<P>) {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const [rows, setRows] = useState<number | null>(null);
  const [message, setMessage] = useState('');
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setRows(0);
    setMessage('');
    try {
      const headers = columns.map(({ header }) => String(t(header)));
      const { signal } = controller;
      const { text, isWhole } = await listFile({
        path: list.path,
        query,
        columns,
        headers,
        signal,
        onProgress: setRows,
      });
      saveTextFile(`${title}.csv`, text, 'text/csv;charset=utf-8');
      if (!isWhole) setMessage(t('list.csv_limit', { count: FILE_ROWS }));
    } catch (error) {
      if (!controller.signal.aborted) setMessage(`${errorText(error)} ${t('list.csv_failed')}`);
    } finally {
      setRows(null);
    }
  };

  return {
    isRunning: rows !== null,
    rows: rows ?? 0,
    message,
    start: () => void start(),
    stop: () => running.current?.abort(),
  };
}
