/** The beginning of a file: enough for its columns and a few rows. */
const READ_BYTES = 256 * 1024;
const ROWS = 5;

export type Sample = { columns: readonly string[]; rows: readonly (readonly string[])[] };

/** The columns of a CSV file or the keys of JSON lines, with the first rows; null if it is neither. */
export async function readSample(file: File): Promise<Sample | null> {
  const text = (await file.slice(0, READ_BYTES).text()).replace(/^\uFEFF/, '');
  const isCut = file.size > READ_BYTES;
  const sample = text.trimStart().startsWith('{') ? jsonSample(text, isCut) : csvSample(text, isCut);
  return sample && sample.columns.length > 0 ? sample : null;
}

function jsonSample(text: string, isCut: boolean): Sample | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = isCut ? lines.slice(0, -1) : lines;
  try {
    const rows = whole.slice(0, ROWS).map((line) => JSON.parse(line) as Record<string, unknown>);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return { columns, rows: rows.map((row) => columns.map((column) => textOf(row[column]))) };
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function csvSample(text: string, isCut: boolean): Sample | null {
  const records = recordsOf(text, ROWS + 1, isCut);
  const [header, ...rows] = records;
  return header ? { columns: header.map((name) => name.trim()), rows } : null;
}

/** A quoted value, an unquoted one, or an empty one, with what ends it. */
const VALUE = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\r|$)/y;

/** The first records of a CSV text. One that the cut may have shortened is left out. */
function recordsOf(text: string, most: number, isCut: boolean): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  VALUE.lastIndex = 0;
  while (records.length < most && VALUE.lastIndex < text.length) {
    const match = VALUE.exec(text);
    if (!match) break;
    const [, quoted, plain = '', end] = match;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',' && VALUE.lastIndex < text.length) continue;
    if (end === '' && isCut) break;
    // A blank line is no record.
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  }
  return records;
}
