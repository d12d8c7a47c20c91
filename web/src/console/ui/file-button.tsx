import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import type { GetQuery } from '@/lib/api/contract';
import { saveTextFile } from '@/lib/save-file';
import { Button } from '@/ui/button';
import { FormAlert } from '@/ui/field';
import { type StaffFilePath, staffFile } from '../api/call';

type Props<P extends StaffFilePath> = {
  label: string;
  path: P;
  query: GetQuery<P>;
  /** The name of the saved file. */
  name: string;
  type: string;
  onDone?: () => void;
};

/** Saves a file that the server writes. It is read with the session, so it is no link. */
export function FileButton<P extends StaffFilePath>({ label, path, query, name, type, onDone }: Props<P>) {
  const { t } = useTranslation('console');
  const errorText = useErrorText();
  const download = useMutation({
    mutationFn: () => staffFile(path, query),
    onSuccess: (text) => {
      saveTextFile(name, text, type);
      onDone?.();
    },
  });
  return (
    <div>
      <Button tone="secondary" busy={download.isPending} onClick={() => download.mutate()}>
        <Download size={16} aria-hidden="true" />
        {label}
      </Button>
      <span role="status" className="visually-hidden">
        {download.isSuccess ? t('list.saved', { name }) : ''}
      </span>
      <FormAlert>{download.error ? errorText(download.error) : null}</FormAlert>
    </div>
  );
}
