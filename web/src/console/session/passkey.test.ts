import { afterEach, expect, test, vi } from 'vitest';
import { canUsePasskeys, PasskeyError, showPasskey } from './passkey';

const library = vi.hoisted(() => ({ startAuthentication: vi.fn(), startRegistration: vi.fn() }));
vi.mock('@simplewebauthn/browser', () => library);

afterEach(() => vi.unstubAllGlobals());

const CEREMONY = { ceremony: 'sealed', options: { challenge: 'AAAA', rpId: 'console.example' } };

function refusal(name: string): Error {
  return Object.assign(new Error(name), { name });
}

test('passkeys need a browser and an address that have them', () => {
  vi.stubGlobal('PublicKeyCredential', undefined);
  expect(canUsePasskeys()).toBe(false);
  vi.stubGlobal('PublicKeyCredential', class {});
  expect(canUsePasskeys()).toBe(true);
});

test('what the device shows goes back with the ceremony that asked for it', async () => {
  library.startAuthentication.mockResolvedValue({ id: 'credential' });
  expect(await showPasskey(CEREMONY)).toEqual({ ceremony: 'sealed', credential: { id: 'credential' } });
  expect(library.startAuthentication).toHaveBeenCalledWith({ optionsJSON: CEREMONY.options });
});

test.each([
  ['NotAllowedError', 'not_used'],
  ['AbortError', 'not_used'],
  ['SecurityError', 'wrong_address'],
  ['InvalidStateError', 'known'],
  ['ConstraintError', 'no_verification'],
  ['UnknownError', 'failed'],
])('%s of the browser is %s', async (name, fault) => {
  library.startAuthentication.mockRejectedValue(refusal(name));
  await expect(showPasskey(CEREMONY)).rejects.toEqual(new PasskeyError(fault as 'failed', 'console.example'));
});
