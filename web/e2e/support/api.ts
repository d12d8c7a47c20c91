import { randomUUID } from 'node:crypto';
import { type APIRequestContext, expect, request } from '@playwright/test';
import type { components } from '../../src/lib/api/schema';

type Schemas = components['schemas'];

const baseURL = process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080';

/** Calls the gateway outside the browser, as staff or with the advertiser's token. */
export class Api {
  private constructor(
    private readonly http: APIRequestContext,
    readonly token: string,
  ) {}

  static async withToken(token: string): Promise<Api> {
    return new Api(await request.newContext({ baseURL, extraHTTPHeaders: { 'X-CT': token } }), token);
  }

  static async staff(
    username = 'admin',
    password = process.env.ADFOLIO_ADMIN_PASSWORD ?? 'adfolio-admin',
  ): Promise<Api> {
    const visitor = await Api.withToken('');
    const { token } = await visitor.post<Schemas['StaffSession']>('/admin/login', { username, password });
    return Api.withToken(token);
  }

  static async demo(): Promise<Api> {
    const visitor = await Api.withToken('');
    const session = await visitor.post<Schemas['Session']>('/auth/v2/login', {
      username: 'demo',
      password: 'adfolio-demo-1',
    });
    return Api.withToken(session.token);
  }

  async get<T>(path: string): Promise<T> {
    return dataOf<T>(path, await (await this.http.get(`/api${path}`)).json());
  }

  async post<T>(path: string, data: unknown): Promise<T> {
    const headers = { 'Idempotency-Key': randomUUID() };
    return dataOf<T>(path, await (await this.http.post(`/api${path}`, { data, headers })).json());
  }

  async importReports(csv: string, source: string, mapping: unknown): Promise<Schemas['ImportResult']> {
    const response = await this.http.post('/api/admin/delivery/import', {
      multipart: {
        file: { name: 'reports.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) },
        source,
        mapping: JSON.stringify(mapping),
      },
    });
    return dataOf('/admin/delivery/import', await response.json());
  }

  /** Uploads an account statement as CSV with the fields' own names. */
  async uploadStatement(csv: string): Promise<Schemas['BankStatement']> {
    const response = await this.http.post('/api/admin/bank/statement', {
      multipart: { file: { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) } },
    });
    const { statement, faults } = dataOf<Schemas['BankUpload']>(
      '/admin/bank/statement',
      await response.json(),
    );
    if (!statement) throw new Error(`faults: ${JSON.stringify(faults)}`);
    return statement;
  }

  deposit(userId: string, amount: string, remark = 'Bank transfer'): Promise<Schemas['FlowEntry']> {
    return this.post('/admin/wallet/deposit', { user_id: userId, amount, remark });
  }

  async newLicense(): Promise<string> {
    const { items } = await this.post<Schemas['LicenseList']>('/admin/license/create', { count: 1 });
    const code = items[0]?.code;
    if (!code) throw new Error('no licence key');
    return code;
  }

  /** One of the demo's license keys while any is left, else a new one. */
  async demoLicense(): Promise<string> {
    const { items } = await this.get<Schemas['LicensePage']>('/admin/license/list?limit=100');
    const unused = items.find(({ code, state }) => code.startsWith('DEMO-LICENSE-') && state === 'unused');
    return unused?.code ?? this.newLicense();
  }
}

/** Registers a new advertiser outside the browser. */
export async function newAdvertiser(
  staff: Api,
): Promise<{ api: Api; user: Schemas['UserInfo']; password: string }> {
  const visitor = await Api.withToken('');
  const password = 'correct horse battery';
  const session = await visitor.post<Schemas['Session']>('/auth/v2/register', {
    username: uniqueName(),
    password,
    confirm_password: password,
    email: 'advertiser@example.com',
    phone: '+4915112345678',
    licenseKey: await staff.newLicense(),
  });
  return { api: await Api.withToken(session.token), user: session.user, password };
}

export function uniqueName(): string {
  return `e2e-${randomUUID().slice(0, 13)}`;
}

function dataOf<T>(path: string, envelope: { code: number; msg: string; data: T }): T {
  expect(envelope.code, `${path}: ${envelope.msg} ${JSON.stringify(envelope.data)}`).toBe(200);
  return envelope.data;
}
