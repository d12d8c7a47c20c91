import { getResponse, type RequestHandler } from 'msw';
import { at } from '../../src/test/fixtures';
import { FIXTURES } from './build-fixtures';

const { handlers } = (await import(FIXTURES)) as { handlers: RequestHandler[] };

/**
 * What the fixture server returns: a new user with `usual` amounts and texts, a user who has set up `everything`,
 * `extreme` amounts and texts (nine digits, long names, full lists), nothing at all, or only failures.
 */
export type Data = 'usual' | 'everything' | 'extreme' | 'empty' | 'failing';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

export type Answer = { body: string; contentType: string; status: number };

const OFFER_MS = 10_800_000;

const FAILURE = { code: 500, msg: 'Upstream unavailable', data: { reason: 'UNAVAILABLE', lang: 'en' } };

/** Still answered while everything else fails or is empty: no page works without it. */
const ALWAYS = /\/api\/(user\/info|basic_config|auth\/|user\/notifications\/unread_count)/;

type How = { data: Data; lang: string; patch: Record<string, unknown> | undefined };

/** The fixtures' answer to a call; null without a handler. */
export async function answerOf(request: Request, how: How): Promise<Answer | null> {
  const { url } = request;
  if (how.data === 'failing' && !ALWAYS.test(url)) return jsonAnswer(FAILURE);
  const response = await getResponse(handlers, request);
  if (!response) return null;
  const contentType = response.headers.get('Content-Type') ?? '';
  if (!contentType.includes('json')) {
    return { body: await response.text(), contentType, status: response.status };
  }
  const envelope = (await response.json()) as { code: number; data: Json };
  if (envelope.code === 200) envelope.data = changed(new URL(url).pathname, envelope.data, how);
  return jsonAnswer(envelope, response.status);
}

function changed(path: string, given: Json, { data, lang, patch }: How): Json {
  let answer = given;
  if (data === 'extreme') answer = extremeAnswer(path, answer);
  if (data === 'empty' && !ALWAYS.test(path)) answer = emptied(answer);
  if (path === '/api/user/info') {
    const settled: Fields = data === 'everything' ? { has_pay_password: true, has_bank_card: true } : {};
    // Keeps the app from switching to the account's language.
    answer = { ...(answer as Fields), ...settled, lang };
  }
  if (path === '/api/acceptor/detail') {
    // The offer expires by this machine's clock, but the page's clock stands still.
    const { offer, ...rest } = answer as { offer: Fields };
    answer = { ...rest, offer: { ...offer, expires_at: at(OFFER_MS) } };
  }
  return patch ? { ...(answer as Fields), ...(patch as Fields) } : answer;
}

export function jsonAnswer(envelope: unknown, status = 200): Answer {
  return { body: JSON.stringify(envelope), contentType: 'application/json', status };
}

/** Every text of an answer, so that checks of the app's own texts can skip them. */
export function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return value && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}

const MIN_LIST = 8;
const NINE_DIGITS = '987654321.98';

function extremeAnswer(path: string, data: Json): Json {
  const stretched = stretch('', data);
  if (path.endsWith('/user/info')) return { ...(stretched as Fields), ...EXTREME_USER };
  if (path.endsWith('/user/property')) return { ...(stretched as Fields), withdrawing: NINE_DIGITS };
  return stretched;
}

const CONTACT = {
  type: 1,
  url: 'https://chat.example.com/',
  hours: 'Monday to Friday from 9:00 to 18:00, Saturday from 10:00 to 14:00 CET',
  answer_time: 'Usually within an hour, at weekends on the next working day',
};
const CONTACTS = Array.from({ length: 6 }, (_, index) => ({
  ...CONTACT,
  id: `service-${index}`,
  type: index % 2,
  label: 'Deposits and accounts, around the clock on every day of the year',
}));

const EXTREME_USER = {
  vip: true,
  has_pay_password: true,
  has_bank_card: true,
  shop_level: 88,
  proxy_operator_id: '01999999-9999-7999-8999-999999999999',
  customer_service_url: CONTACTS,
  recharge_customer_service_url: CONTACTS,
};

/** Lower limits and rates keep their size, so that forms can be filled in. */
const KEPT = /^(id|.*_id|min|put_min|fee|amount_requirement|value|cpc|rate|.*_url|url|hash|.*code)$/;
const NAMES =
  /^(name|title|label|nickname|operator_name|user_name|card_name|branch_name|category|placement)$/;
const TEXTS =
  /^(remark|content|put_content|put_rule|fail_reason|description|game_description|reason|operating_rules|activity_rules)$/;
/** What a delivery report gives with up to six decimals. */
const FINE_AMOUNTS = /^(spend|charged|revenue)$/;
const ENUMS = new Set([
  'announcement',
  'maintenance',
  'activity',
  'chosen',
  'exploring',
  'capped',
  'full',
  'held',
]);

function stretch(key: string, value: Json): Json {
  if (Array.isArray(value)) return listOf(key, value);
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, stretch(name, inner)]));
  }
  if (KEPT.test(key) || value === null) return value;
  return typeof value === 'number' ? stretchedNumber(key, value) : stretchedText(key, value);
}

/** Repeats the rows of a page until it scrolls. Other lists keep their length. */
function listOf(key: string, values: Json[]): Json[] {
  const stretched = values.map((value) => stretch('', value));
  if (key !== 'items' || stretched.length === 0 || !isRow(stretched[0])) return stretched;
  const copies = Math.ceil(MIN_LIST / stretched.length);
  return Array.from({ length: copies }, (_, copy) =>
    stretched.map((row) => (copy === 0 || !isRow(row) ? row : { ...row, id: `${String(row.id)}-${copy}` })),
  ).flat();
}

function isRow(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && 'id' in value;
}

const COUNTS: Record<string, number> = {
  impressions: 987_654_321,
  clicks: 98_765_432,
  delivery_orders: 9_876,
  completed_orders: 98_765,
  unread_total: 120,
  waiting: 120,
  putting: 1_234,
};

const stretchedNumber = (key: string, value: number) => (value === 0 ? 0 : (COUNTS[key] ?? value));

function stretchedText(key: string, value: string | boolean): Json {
  if (typeof value === 'boolean' || ENUMS.has(value)) return value;
  if (/^-?\d+\.\d{2}$/.test(value)) {
    return Number(value) === 0 ? value : `${value.startsWith('-') ? '-' : ''}${NINE_DIGITS}`;
  }
  // Rates have more than two decimals, too.
  if (FINE_AMOUNTS.test(key) && /^\d+\.\d{3,6}$/.test(value)) return '987654321.987654';
  if (key === 'username') return 'extraordinarily_long_username_48';
  if (key === 'email') return 'a.very.long.address@subdomain.example-company.com';
  if (NAMES.test(key)) return `${value} – The Great Anniversary Edition for Everyone`;
  if (TEXTS.test(key)) {
    return `${value} This text goes on for a while, as people write it: with a reference 20261118-000042-ABCDEFGH and thanks.`;
  }
  return value;
}

/** The same answer for a new user. */
function emptied(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, emptied(inner)]));
  }
  if (typeof value === 'number') return 0;
  return typeof value === 'string' && /^-?\d+\.\d{2,}$/.test(value) ? '0.00' : value;
}
