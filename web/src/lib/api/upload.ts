import { commonHeaders } from './call';
import { ApiError, NETWORK } from './error';
import { readEnvelope } from './transport';
import type { UploadedFile } from './types';

type Options = {
  /** Receives the percentage sent so far. */
  onProgress: (percent: number) => void;
  signal: AbortSignal;
};

/** Long enough for the largest picture on a slow network. */
const UPLOAD_TIMEOUT_MS = 180_000;

/** Uploads a picture. Uses XMLHttpRequest, because `fetch` reports no upload progress. */
export function uploadImage(file: File, { onProgress, signal }: Options): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(new ApiError(0, '', { reason: NETWORK }));
    request.upload.onprogress = ({ loaded, total }) => onProgress(percentOf(loaded, total));
    request.onload = () => {
      try {
        resolve(readEnvelope<UploadedFile>(request, request.responseText));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = fail;
    request.ontimeout = fail;
    request.onabort = () => reject(signal.reason);
    request.open('POST', '/api/files/upload');
    request.timeout = UPLOAD_TIMEOUT_MS;
    commonHeaders().forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    signal.addEventListener('abort', () => request.abort());
    const form = new FormData();
    form.set('file', file);
    request.send(form);
  });
}

function percentOf(loaded: number, total: number): number {
  return total > 0 ? Math.min(100, Math.floor((loaded / total) * 100)) : 0;
}
