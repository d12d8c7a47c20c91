/** How long the browser may take to read what it saves. */
const READ_MS = 30_000;

/** Hands a text to the browser as a file to save. */
export function saveTextFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
