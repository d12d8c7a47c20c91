import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Progress } from '../card';
import { FieldError } from '../field';
import styles from './upload-state.module.css';
import type { Upload } from './use-uploads';

/** The progress of an upload. Errors are announced. */
export function UploadState({ item }: { item: Upload }) {
  const { t } = useTranslation();
  const { wholePercent } = useFormats();
  return (
    <>
      {item.state === 'uploading' ? (
        <div className={styles.progress}>
          <Progress percent={item.percent} label={t('upload.uploading', { name: item.name })} />
          <span className={styles.percent}>{wholePercent(item.percent)}</span>
        </div>
      ) : null}
      <div role="status">
        {item.state === 'done' ? <p className={styles.done}>{t('upload.done')}</p> : null}
        {item.error ? <FieldError>{item.error}</FieldError> : null}
      </div>
    </>
  );
}
