/** The image types that the server accepts, for a file input. */
export const IMAGE_TYPES = 'image/png,image/jpeg,image/webp,image/gif';

export type ImageFault = 'not_image' | 'too_large';

const HEAD_BYTES = 12;
const BYTES_PER_MB = 1024 * 1024;

/** Checks a chosen file before it is uploaded; null if it is valid. */
export async function imageFault(file: Blob, maxBytes: number): Promise<ImageFault | null> {
  if (!isImageHead(await headOf(file))) return 'not_image';
  return file.size > maxBytes ? 'too_large' : null;
}

/** Whether the first bytes of a file are those of an image, whatever its name. */
export function isImageHead(head: Uint8Array): boolean {
  const has = (offset: number, ...bytes: number[]) =>
    bytes.every((byte, index) => head[offset + index] === byte);
  const text = (offset: number, wanted: string) => has(offset, ...new TextEncoder().encode(wanted));
  const png = has(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const jpeg = has(0, 0xff, 0xd8, 0xff);
  const gif = text(0, 'GIF87a') || text(0, 'GIF89a');
  const webp = text(0, 'RIFF') && text(8, 'WEBP');
  return png || jpeg || gif || webp;
}

export function megabytes(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_MB);
}

async function headOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
}
