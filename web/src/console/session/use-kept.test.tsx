import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endStaffSession, type Staff, startStaffSession } from './store';
import { useKept } from './use-kept';

const member = (id: string): Staff => ({
  id,
  username: id,
  role: 'admin',
  state: 'active',
  has_second_factor: false,
  has_totp: false,
  passkeys: 0,
  must_change_password: false,
  made_by: null,
  confirmed_by: null,
});

beforeEach(() => sessionStorage.clear());
afterEach(() => endStaffSession(null));

test('what is half written outlives the page, and is nobody else’s', () => {
  startStaffSession('token-1', member('ada'));
  const first = renderHook(() => useKept<{ title: string }>('notice'));
  act(() => first.result.current[1]({ title: 'Maintenance' }));
  first.unmount();
  const again = renderHook(() => useKept<{ title: string }>('notice'));
  expect(again.result.current[0]).toEqual({ title: 'Maintenance' });
  again.unmount();

  startStaffSession('token-2', member('ben'));
  const other = renderHook(() => useKept<{ title: string }>('notice'));
  expect(other.result.current[0]).toBeNull();
  other.unmount();
});

test('dropping it leaves nothing', () => {
  startStaffSession('token-1', member('ada'));
  const { result, unmount } = renderHook(() => useKept<{ title: string }>('notice'));
  act(() => result.current[1]({ title: 'Maintenance' }));
  act(() => result.current[1](null));
  expect(result.current[0]).toBeNull();
  expect(Object.keys(sessionStorage).filter((key) => key.includes('notice'))).toEqual([]);
  unmount();
});
