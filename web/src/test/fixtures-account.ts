import type { Claimable, Follow, OwnSession, SecurityEntry, UploadedFile } from '@/lib/api/types';
import { at } from './fixtures';

const DAY = 86_400_000;

export const newUserClaimable: Claimable = {
  campaign_id: 'campaign-new',
  name: 'New-user support',
  kind: 'new_user',
  mode: 'deduction',
  value: '20.00',
  type: 'deduction',
  amount_requirement: '0.00',
  valid_days: 30,
  ends_at: null,
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

const PHONE = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36';
const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

export function ownSession(over: Partial<OwnSession> = {}): OwnSession {
  return {
    id: 'session-1',
    current: false,
    created_at: at(-3 * DAY),
    last_used_at: at(-DAY),
    expires_at: at(6 * DAY),
    user_agent: DESKTOP,
    address: '2001:db8:85a3::8a2e:370:7334',
    ...over,
  };
}

export const ownSessions: OwnSession[] = [
  ownSession(),
  ownSession({
    id: 'session-2',
    current: true,
    last_used_at: at(-60_000),
    user_agent: PHONE,
    address: '192.0.2.7',
  }),
  ownSession({ id: 'session-3', user_agent: null, address: null }),
];

export function securityEntry(over: Partial<SecurityEntry> = {}): SecurityEntry {
  return {
    id: 'entry-1',
    time: at(-3_600_000),
    action: 'wallet.deposit',
    amount: '2000.00',
    by: 'staff',
    reason: 'Statement of May, page 3',
    ...over,
  };
}

export const securityEntries: SecurityEntry[] = [
  securityEntry(),
  securityEntry({ id: 'entry-2', action: 'auth.password_changed', amount: null, by: 'user', reason: null }),
  securityEntry({
    id: 'entry-3',
    action: 'wallet.pay_password_locked',
    amount: null,
    by: 'user',
    reason: null,
  }),
  securityEntry({ id: 'entry-4', action: 'auth.create_host_token', amount: null, reason: null }),
  securityEntry({ id: 'entry-5', action: 'plan.something_new', amount: null, reason: null }),
];

export function uploadedFile(over: Partial<UploadedFile> = {}): UploadedFile {
  return { id: 'file-1', url: '/api/files/file-1', width: 640, height: 480, size: 48_213, ...over };
}

/** A picture file. Only its first bytes matter. */
export function pictureFile(name = 'screen.png', bytes = 64): File {
  const content = new Uint8Array(bytes);
  content.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new File([content], name, { type: 'image/png' });
}
