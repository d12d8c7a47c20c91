import { ImageOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cx } from '../cx';
import styles from './thumbnail.module.css';

type Props = { file: File | null; url: string | undefined; round?: boolean };

const SIZE = 192;

/**
 * A picture before and after its upload. Draws a local file on a canvas, because an object URL would need `blob:` in
 * the content security policy. Decorative, because the name stands beside it.
 */
export function Thumbnail({ file, url, round }: Props) {
  const look = cx(styles.thumbnail, round && styles.round);
  if (file) return <Drawn file={file} className={look} />;
  return url ? (
    <img className={look} src={url} alt="" width={SIZE} height={SIZE} />
  ) : (
    <Broken className={look} />
  );
}

function Drawn({ file, className }: { file: File; className: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [broken, setBroken] = useState(false);

  useEffect(() => {
    let isGone = false;
    setBroken(false);
    draw(file, () => (isGone ? null : canvas.current)).catch(() => {
      if (!isGone) setBroken(true);
    });
    return () => {
      isGone = true;
    };
  }, [file]);

  if (broken) return <Broken className={className} />;
  return <canvas ref={canvas} className={className} width={SIZE} height={SIZE} />;
}

function Broken({ className }: { className: string }) {
  return (
    <span className={className} aria-hidden="true">
      <ImageOff size={22} />
    </span>
  );
}

/** Draws the picture's centre square. */
async function draw(file: File, target: () => HTMLCanvasElement | null): Promise<void> {
  const picture = await createImageBitmap(file);
  const side = Math.min(picture.width, picture.height);
  const left = (picture.width - side) / 2;
  const top = (picture.height - side) / 2;
  target()?.getContext('2d')?.drawImage(picture, left, top, side, side, 0, 0, SIZE, SIZE);
  picture.close();
}
