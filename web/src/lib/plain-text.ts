/** A piece of a text of the platform: a paragraph, or rules that were numbered line by line. */
export type TextBlock = { kind: 'paragraph'; text: string } | { kind: 'list'; items: string[] };

const NUMBERED = /^\d{1,2}[.)、．]\s*/;

/** Texts come as plain text; this finds the shape that their authors gave them by line breaks and numbers. */
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
