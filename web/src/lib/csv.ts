/** A value of a cell. Amounts are plain decimal strings, so that a spreadsheet can add them up. */
export type CsvValue = string | number | null;

const NUMBER = /^-?\d+(\.\d+)?$/;
/** What spreadsheets take for a formula, also behind spaces and in full width. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

/** The text of a file as in RFC 4180, with a mark by which spreadsheets recognize UTF-8. */
export function csvOf(rows: readonly (readonly CsvValue[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`;
}

/** A text that would run as a formula gets an apostrophe, which makes it a text again. */
function cellOf(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  if (NUMBER.test(text)) return text;
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
