import type { Sample } from './sample';

/** The file to import and who reports it, as the first step has it. */
export type ImportFile = {
  file: File;
  source: string;
  /** Ed25519 in base64; '' for none. */
  signature: string;
  sample: Sample;
};

export type ImportParts = { mapping: string; reason?: string; isDryRun: boolean };

/** The form of the call. The server reads it in order, so that the file comes last. */
export function importForm({ file, source, signature }: ImportFile, parts: ImportParts): FormData {
  const form = new FormData();
  form.append('source', source);
  form.append('mapping', parts.mapping);
  if (parts.isDryRun) form.append('dry_run', 'true');
  if (signature !== '') form.append('signature', signature);
  if (parts.reason) form.append('reason', parts.reason);
  form.append('file', file, file.name);
  return form;
}

/**
 * What makes an import the same act: its idempotency key is kept under it. A file that was saved anew is another one, so
 * that the same key never goes with other contents.
 */
export function importIntention({ file, source, signature }: ImportFile, { mapping, reason }: ImportParts) {
  const { name, size, lastModified } = file;
  return { source, signature, mapping, reason: reason ?? '', name, size, lastModified };
}
