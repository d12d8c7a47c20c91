import { expect, test } from 'vitest';
import { readSample } from './sample';

const sampleOf = (text: string) => readSample(new File([text], 'reports'));

test('a CSV file gives its header and first rows, with quotes and line ends of all kinds', async () => {
  expect(await sampleOf('\uFEFFplan,"name, long",time\r\nP1,"a ""b""",t1\r\n\r\nP2,,t2')).toEqual({
    columns: ['plan', 'name, long', 'time'],
    rows: [
      ['P1', 'a "b"', 't1'],
      ['P2', '', 't2'],
    ],
  });
});

test('JSON lines give all keys of the first rows', async () => {
  expect(await sampleOf('{"plan":"P1","clicks":3}\n{"plan":"P2","spend":"1.5"}\n')).toEqual({
    columns: ['plan', 'clicks', 'spend'],
    rows: [
      ['P1', '3', ''],
      ['P2', '', '1.5'],
    ],
  });
});

test('what is neither is no sample', async () => {
  expect(await sampleOf('')).toBeNull();
  expect(await sampleOf('{"plan": ')).toBeNull();
});
