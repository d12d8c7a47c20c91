import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { ShareButton } from './share-button';
import { toastStore } from './toast';

afterEach(() => vi.unstubAllGlobals());

async function press(share: unknown) {
  const user = userEvent.setup();
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  Object.defineProperty(navigator, 'share', { value: share, configurable: true });
  render(<ShareButton label="Share receipt" title="Receipt" text="Deposit" />);
  await user.click(screen.getByRole('button', { name: 'Share receipt' }));
  return copied;
}

test('a receipt goes to the share sheet of the system', async () => {
  const share = vi.fn().mockResolvedValue(undefined);
  const copied = await press(share);
  expect(share).toHaveBeenCalledWith({ title: 'Receipt', text: 'Deposit' });
  expect(copied).not.toHaveBeenCalled();
});

test('without a share sheet it is copied', async () => {
  const copied = await press(undefined);
  await waitFor(() => expect(toastStore.get()?.text).toBe('Copied'));
  expect(copied).toHaveBeenCalledWith('Deposit');
});

test('closing the share sheet copies nothing', async () => {
  const copied = await press(vi.fn().mockRejectedValue(new DOMException('closed', 'AbortError')));
  expect(copied).not.toHaveBeenCalled();
  expect(toastStore.get()).toBeNull();
});
