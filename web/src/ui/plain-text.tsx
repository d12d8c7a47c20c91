import { blocksOf, type TextBlock } from '@/lib/plain-text';
import styles from './plain-text.module.css';

/** A platform text with paragraphs and numbered lists. Never interpreted as markup. */
export function PlainText({ text }: { text: string }) {
  return (
    <div className={styles.text}>
      {blocksOf(text).map((block, place) => (
        <Block key={place} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: TextBlock }) {
  if (block.kind === 'paragraph') return <p>{block.text}</p>;
  return (
    <ol className={styles.list}>
      {block.items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ol>
  );
}
