/** A block of a platform text: a paragraph, or a list whose lines were numbered. */
export type TextBlock = { kind: 'paragraph'; text: string } | { kind: 'list'; items: string[] };

const NUMBERED = /^\d{1,2}[.)、．]\s*/;

/** Platform texts are plain text. Derives paragraphs and lists from line breaks and numbers. */
export function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '') continue;
    const last = blocks.at(-1);
    if (!NUMBERED.test(line)) blocks.push({ kind: 'paragraph', text: line });
    else if (last?.kind === 'list') last.items.push(line.replace(NUMBERED, ''));
    else blocks.push({ kind: 'list', items: [line.replace(NUMBERED, '')] });
  }
  return blocks;
}
