import { expect, test, vi } from 'vitest';
import { keepCheckpoint, keptCheckpoint } from './kept-checkpoint';
import type { Checkpoint } from './publication';

const first: Checkpoint = { log: 'log', size: 3, root: 'b25l' };
const noPath = () => Promise.resolve<string[]>([]);

test('the first checkpoint is trusted and kept, and the same one again needs no path', async () => {
  expect(keptCheckpoint()).toBeNull();
  const load = vi.fn(noPath);
  expect(await keepCheckpoint(keptCheckpoint(), first, load)).toBe(true);
  expect(keptCheckpoint()).toEqual(first);
  expect(await keepCheckpoint(keptCheckpoint(), first, load)).toBe(true);
  expect(load).not.toHaveBeenCalled();
});

test('a log that shrank, differs or does not continue is rejected, and the kept one stays', async () => {
  await keepCheckpoint(null, first, noPath);
  for (const other of [
    { ...first, size: 2 },
    { ...first, root: 'dHdv' },
    { ...first, size: 4 },
  ]) {
    expect(await keepCheckpoint(keptCheckpoint(), other, noPath), JSON.stringify(other)).toBe(false);
    expect(keptCheckpoint()).toEqual(first);
  }
});

test('a path that cannot be loaded leaves what was kept', async () => {
  await keepCheckpoint(null, first, noPath);
  const away = () => Promise.reject(new Error('offline'));
  await expect(keepCheckpoint(first, { ...first, size: 9 }, away)).rejects.toThrow('offline');
  expect(keptCheckpoint()).toEqual(first);
});

test('a log of another name is a new one', async () => {
  await keepCheckpoint(null, first, noPath);
  const other = { ...first, log: 'another', size: 1 };
  expect(await keepCheckpoint(keptCheckpoint(), other, noPath)).toBe(true);
  expect(keptCheckpoint()).toEqual(other);
});
