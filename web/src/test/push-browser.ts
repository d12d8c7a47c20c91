import { vi } from 'vitest';

const KEY = 'BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY';

/** A browser that can show messages. `answer` is what the user tells its question. */
export function stubPushBrowser(answer: NotificationPermission = 'granted') {
  const browser = new PushBrowser(answer);
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', browser.notification);
  Object.defineProperty(navigator, 'serviceWorker', { value: browser.workers, configurable: true });
  return browser;
}

/** To be called after each test, as the page lives on. */
export function restoreBrowser(): void {
  Reflect.deleteProperty(navigator, 'serviceWorker');
  vi.unstubAllGlobals();
}

class PushBrowser {
  subscription: ReturnType<typeof subscriptionOf> | null = null;
  private count = 0;

  readonly notification;

  readonly pushManager = {
    getSubscription: async () => this.subscription,
    subscribe: vi.fn(async () => this.subscribe()),
  };

  private readonly registration = { pushManager: this.pushManager };

  readonly workers = Object.assign(new EventTarget(), {
    register: vi.fn(async () => this.registration),
    getRegistration: async () => this.registration,
    ready: Promise.resolve(this.registration),
  });

  constructor(answer: NotificationPermission) {
    this.notification = {
      permission: 'default' as NotificationPermission,
      requestPermission: vi.fn(async () => {
        this.notification.permission = answer;
        return answer;
      }),
    };
  }

  /** As if it had been subscribed in an earlier visit. */
  subscribe(key = KEY) {
    this.count += 1;
    this.subscription = subscriptionOf(`https://push.example/${this.count}`, key, () => {
      this.subscription = null;
    });
    return this.subscription;
  }
}

function subscriptionOf(endpoint: string, key: string, drop: () => void) {
  const bytes = Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  );
  return {
    endpoint,
    options: { applicationServerKey: bytes.buffer },
    toJSON: () => ({ endpoint, keys: { p256dh: 'public', auth: 'secret' } }),
    unsubscribe: vi.fn(async () => {
      drop();
      return true;
    }),
  };
}
