import { expect, test } from 'vitest';
import { intentionKey, settleIntention } from '../../act/intentions';
import { type ImportFile, importIntention } from './import-file';

const PARTS = { mapping: '{}', isDryRun: false };

function fileSavedAt(lastModified: number): ImportFile {
  const file = new File(['report_id\n1\n'], 'reports.csv', { lastModified });
  return { file, source: 'north', signature: '', sample: { columns: [], rows: [] } };
}

test('an import keeps its key while its outcome is unknown, and a file that was saved anew has another', () => {
  const first = importIntention(fileSavedAt(1), PARTS);
  const key = intentionKey('/admin/delivery/import', first);
  settleIntention('/admin/delivery/import', first, new Error('lost'));
  expect(intentionKey('/admin/delivery/import', importIntention(fileSavedAt(1), PARTS))).toBe(key);
  expect(intentionKey('/admin/delivery/import', importIntention(fileSavedAt(2), PARTS))).not.toBe(key);
  settleIntention('/admin/delivery/import', first, null);
  expect(intentionKey('/admin/delivery/import', first)).not.toBe(key);
});
