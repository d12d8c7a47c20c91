import type { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import type { components } from '@/lib/api/schema';

type Ceremony = components['schemas']['PasskeyCeremony'];
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];
type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** Why the browser gave no passkey; also the keys of the texts. */
export type PasskeyFault = 'not_used' | 'wrong_address' | 'known' | 'no_verification' | 'failed';

/** What the browser or the member refused. Nothing was sent. */
export class PasskeyError extends Error {
  /** The host whose passkeys the server takes. */
  readonly host: string;
  readonly fault: PasskeyFault;

  constructor(fault: PasskeyFault, host: string) {
    super(fault);
    this.fault = fault;
    this.host = host;
  }
}

/** Whether this browser can use passkeys here: it needs https, or `localhost`. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

/** Lets the member show a passkey, for a login or a confirmation. */
export async function showPasskey({ ceremony, options }: Ceremony) {
  const optionsJSON = options as unknown as RequestOptions;
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const credential = await explained(optionsJSON.rpId ?? '', () => startAuthentication({ optionsJSON }));
  return { ceremony, credential: { ...credential } };
}

/** Lets the member make a passkey on a device. */
export async function makePasskey({ ceremony, options }: Ceremony) {
  const optionsJSON = options as unknown as CreationOptions;
  const { startRegistration } = await import('@simplewebauthn/browser');
  const credential = await explained(optionsJSON.rp.id ?? '', () => startRegistration({ optionsJSON }));
  return { ceremony, credential: { ...credential } };
}

async function explained<T>(host: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new PasskeyError(faultOf(error), host);
  }
}

/** The names are those of WebAuthn; the library passes them on. */
function faultOf(error: unknown): PasskeyFault {
  const FAULTS: Readonly<Record<string, PasskeyFault>> = {
    // The browser does not tell a cancelled question from one that ran out.
    NotAllowedError: 'not_used',
    AbortError: 'not_used',
    SecurityError: 'wrong_address',
    InvalidStateError: 'known',
    ConstraintError: 'no_verification',
  };
  return (error instanceof Error && FAULTS[error.name]) || 'failed';
}
