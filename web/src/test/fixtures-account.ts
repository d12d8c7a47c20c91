import type { Claimable, Follow, UploadedFile } from '@/lib/api/types';
import { at } from './fixtures';

const DAY = 86_400_000;

export const newUserClaimable: Claimable = {
  campaign_id: 'campaign-new',
  name: 'New-user support',
  kind: 'new_user',
  mode: 'deduction',
  value: '20.00',
  claimed: false,
};

export function follow(over: Partial<Follow> = {}): Follow {
  return {
    operator_id: 'operator-1',
    operator_name: 'Northwind Media',
    followed_at: at(-3 * DAY),
    ended_at: null,
    ...over,
  };
}

export const follows: Follow[] = [
  follow(),
  follow({
    operator_id: 'operator-0',
    operator_name: 'South Pier Ads',
    followed_at: at(-30 * DAY),
    ended_at: at(-3 * DAY),
  }),
];

export function uploadedFile(over: Partial<UploadedFile> = {}): UploadedFile {
  return { id: 'file-1', url: '/api/files/file-1', width: 640, height: 480, size: 48_213, ...over };
}

/** A picture as a phone would send it: what counts is how it begins. */
export function pictureFile(name = 'screen.png', bytes = 64): File {
  const content = new Uint8Array(bytes);
  content.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new File([content], name, { type: 'image/png' });
}
