import type { Sample } from './sample';

/** The file to import and who reports it, as the first step has it. */
export type ImportFile = {
  file: File;
  source: string;
  /** Ed25519 in base64; '' for none. */
  signature: string;
  sample: Sample;
};

type Parts = { mapping: string; reason?: string; isDryRun: boolean };

/** The form of the call. The server reads it in order, so that the file comes last. */
export function importForm({ file, source, signature }: ImportFile, parts: Parts): FormData {
  const form = new FormData();
  form.append('source', source);
  form.append('mapping', parts.mapping);
  if (parts.isDryRun) form.append('dry_run', 'true');
  if (signature !== '') form.append('signature', signature);
  if (parts.reason) form.append('reason', parts.reason);
  form.append('file', file, file.name);
  return form;
}
