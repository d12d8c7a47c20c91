import { expect, test } from 'vitest';
import { imageFault, isImageHead, megabytes } from './image';

const text = (value: string) => new TextEncoder().encode(value);

test('a picture is told by its first bytes, not by its name', () => {
  expect(isImageHead(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))).toBe(true);
  expect(isImageHead(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))).toBe(true);
  expect(isImageHead(text('GIF89a'))).toBe(true);
  expect(isImageHead(text('RIFF0000WEBP'))).toBe(true);
  expect(isImageHead(text('RIFF0000WAVE'))).toBe(false);
  expect(isImageHead(text('<svg'))).toBe(false);
  expect(isImageHead(new Uint8Array())).toBe(false);
});

test('a file is refused for what it is before it is for its size', async () => {
  expect(await imageFault(new Blob(['GIF89a']), 6)).toBeNull();
  expect(await imageFault(new Blob(['GIF89a+']), 6)).toBe('too_large');
  expect(await imageFault(new Blob(['plain text']), 6)).toBe('not_image');
});

test('a limit is told in whole megabytes', () => {
  expect(megabytes(5_242_880)).toBe(5);
});
