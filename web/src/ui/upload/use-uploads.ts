import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '@/i18n/error-text';
import { ApiError } from '@/lib/api/error';
import type { UploadedFile } from '@/lib/api/types';
import { uploadImage } from '@/lib/api/upload';
import { newIdempotencyKey } from '@/lib/idempotency';
import { type ImageFault, imageFault, megabytes } from '@/lib/image';

export type Upload = {
  key: string;
  /** Null for an earlier upload, such as one from a draft. */
  file: File | null;
  name: string;
  state: 'uploading' | 'done' | 'failed';
  percent: number;
  error: string | null;
  /** Whether a retry can help. It cannot if the file is not an image. */
  canRetry: boolean;
  uploaded: UploadedFile | null;
};

/** The assumed limit until the server's configuration has loaded. */
export const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;

export type Uploads = ReturnType<typeof useUploads>;

type Job = { file: File; signal: AbortSignal; onProgress: (percent: number) => void };

/** The pictures of a form. Each uploads as soon as it is chosen, and can be cancelled, retried or removed. */
export function useUploads(maxBytes: number, initial: () => Upload[] = () => []) {
  const faultOf = useFaultText(maxBytes);
  const [items, setItems] = useState<readonly Upload[]>(initial);
  const running = useRef(new Map<string, AbortController>());
  // A mutation, so that the query client handles an expired session.
  const { mutateAsync } = useMutation({
    mutationFn: ({ file, ...options }: Job) => uploadImage(file, options),
    meta: { inline: true },
  });

  useEffect(() => {
    const jobs = running.current;
    return () => {
      for (const job of jobs.values()) job.abort();
    };
  }, []);

  const change = (key: string, next: Partial<Upload>) =>
    setItems((current) => current.map((item) => (item.key === key ? { ...item, ...next } : item)));

  const send = async (key: string, file: File) => {
    const controller = new AbortController();
    running.current.set(key, controller);
    change(key, { state: 'uploading', percent: 0, error: null });
    try {
      const fault = await imageFault(file, maxBytes);
      if (fault) {
        change(key, { state: 'failed', error: faultOf.fault(fault), canRetry: false });
        return;
      }
      const onProgress = (percent: number) => change(key, { percent });
      const uploaded = await mutateAsync({ file, signal: controller.signal, onProgress });
      change(key, { state: 'done', percent: 100, uploaded });
    } catch (error) {
      if (!controller.signal.aborted) change(key, { state: 'failed', ...faultOf.error(error) });
    } finally {
      running.current.delete(key);
    }
  };

  const remove = (key: string) => {
    running.current.get(key)?.abort();
    setItems((current) => current.filter((item) => item.key !== key));
  };

  return {
    items,
    add: (files: readonly File[]) => {
      const added = files.map((file) => newUpload(file));
      setItems((current) => [...current, ...added]);
      for (const { key, file } of added) if (file) void send(key, file);
    },
    retry: (key: string) => {
      const file = items.find((item) => item.key === key)?.file;
      if (file) void send(key, file);
    },
    remove,
    clear: () => {
      for (const { key } of items) remove(key);
    },
  };
}

function newUpload(file: File): Upload {
  return {
    key: newIdempotencyKey(),
    file,
    name: file.name,
    state: 'uploading',
    percent: 0,
    error: null,
    canRetry: true,
    uploaded: null,
  };
}

/** An upload from an earlier visit. */
export function doneUpload(uploaded: UploadedFile, name: string): Upload {
  return {
    key: uploaded.id,
    file: null,
    name,
    state: 'done',
    percent: 100,
    error: null,
    canRetry: false,
    uploaded,
  };
}

const FAULTS: Partial<Record<string, ImageFault>> = {
  FILE_TOO_LARGE: 'too_large',
  FILE_NOT_IMAGE: 'not_image',
};

function useFaultText(maxBytes: number) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const fault = (kind: ImageFault) => t(`upload.error.${kind}`, { size: megabytes(maxBytes) });
  return {
    fault,
    /** Shows the server's or the edge's check in the same words as the local one. */
    error: (error: unknown) => {
      const known = error instanceof ApiError ? FAULTS[error.reason] : undefined;
      return { error: known ? fault(known) : errorText(error), canRetry: !known };
    },
  };
}
