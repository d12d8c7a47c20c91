import { ImagePlus, RotateCw, X } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { megabytes } from '@/lib/image';
import stack from '@/ui/stack.module.css';
import { IconButton } from '../button';
import { FieldError } from '../field';
import styles from './image-upload.module.css';
import { PickButton } from './pick-button';
import { Thumbnail } from './thumbnail';
import { UploadState } from './upload-state';
import type { Upload, Uploads } from './use-uploads';

type Props = {
  label: string;
  uploads: Uploads;
  limit: number;
  maxBytes: number;
  error?: string | null;
};

/** A field for up to `limit` pictures, each with preview, progress and actions. */
export function ImageUpload({ label, uploads, limit, maxBytes, error }: Props) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const id = useId();
  const used = uploads.items.length;
  return (
    <fieldset className={styles.group} aria-describedby={`${id}-hint`}>
      <legend className={styles.legend}>
        {label} <span className={styles.optional}>{t('common.optional')}</span>
      </legend>
      {used > 0 ? (
        <ul className={stack.gap2}>
          {uploads.items.map((item) => (
            <UploadRow key={item.key} item={item} uploads={uploads} />
          ))}
        </ul>
      ) : null}
      {used < limit ? (
        <PickButton
          label={t('upload.add')}
          describedBy={`${id}-hint`}
          multiple
          onPick={(files) => uploads.add(files.slice(0, limit - used))}
        >
          <span className={styles.add} aria-hidden="true">
            <ImagePlus size={20} />
            {t('upload.add')}
          </span>
        </PickButton>
      ) : null}
      {error ? <FieldError>{error}</FieldError> : null}
      <p className={styles.hint} id={`${id}-hint`}>
        {t('upload.limit', {
          used: integer(used),
          limit: integer(limit),
          size: integer(megabytes(maxBytes)),
        })}
      </p>
    </fieldset>
  );
}

function UploadRow({ item, uploads }: { item: Upload; uploads: Uploads }) {
  const { t } = useTranslation();
  const { name, key, state } = item;
  return (
    <li className={styles.item}>
      <Thumbnail file={item.file} url={item.uploaded?.url} />
      <div className={styles.what}>
        <p className={styles.name}>{name}</p>
        <UploadState item={item} />
      </div>
      {state === 'failed' && item.canRetry ? (
        <IconButton label={t('upload.retry', { name })} onClick={() => uploads.retry(key)}>
          <RotateCw size={20} aria-hidden="true" />
        </IconButton>
      ) : null}
      <IconButton
        label={t(state === 'uploading' ? 'upload.cancel' : 'upload.remove', { name })}
        onClick={() => uploads.remove(key)}
      >
        <X size={20} aria-hidden="true" />
      </IconButton>
    </li>
  );
}
