import { expect, it } from 'vitest';
import { codeOf, EVENT, NOW, SECRET, sample } from '../test/sample.js';
import { expressWebhook } from './adapters/express.js';
import { fastifyWebhook } from './adapters/fastify.js';
import { honoWebhook } from './adapters/hono.js';
import { createDeduper } from './dedupe.js';
import {
  type RawBody,
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './index.js';

const { headers, body } = sample();
const timestamp = headers['X-Service-Timestamp'];
const signature = headers['X-Service-Signature'];
const good = { body, headers, secret: SECRET, now: NOW };

const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const signed = (value: string | readonly string[] | undefined): WebhookHeaders => ({
  'x-service-timestamp': timestamp,
  'x-service-signature': value,
});
const timed = (value: string | readonly string[] | undefined): WebhookHeaders => ({
  'x-service-timestamp': value,
  'x-service-signature': signature,
});

const rewritten = (change: (header: [string, string]) => [string, string | string[]]) =>
  Object.fromEntries(Object.entries(headers).map(change));

/** An object without any other way to read the headers. */
const getOnly = (get: (name: string) => string | null): WebhookHeaders => ({ get });

const bytes = new TextEncoder().encode(body);
const padded = new Uint8Array(bytes.length + 16);
padded.set(bytes, 7);
it.each<[string, RawBody]>([
  ['string', body],
  ['Uint8Array', bytes],
  ['Buffer', Buffer.from(body)],
  ['ArrayBuffer', bytes.buffer],
  ['view into a larger buffer', padded.subarray(7, 7 + bytes.length)],
])('takes the body as %s', (_name, given) => {
  expect(verifyWebhook({ ...good, body: given })).toEqual(EVENT);
});

it.each<[string, WebhookHeaders]>([
  ['Headers', new Headers(headers)],
  ['Map', new Map(Object.entries(headers))],
  ['pairs', Object.entries(headers)],
  ['object with get() only', getOnly((name) => new Headers(headers).get(name))],
  ["object with get() like Koa's", getOnly((name) => new Headers(headers).get(name) ?? '')],
  ['object as it was signed', headers],
  ['object in upper case', rewritten(([name, value]) => [name.toUpperCase(), value])],
  ['object of arrays', rewritten(([name, value]) => [name, [value]])],
])('accepts the headers as %s', (_name, given) => {
  expect(verifyWebhook({ ...good, headers: given }).id).toBe(EVENT.id);
});

const late = 'timestamp_out_of_tolerance';
it.each([
  [0, undefined, 'accepted'],
  [300, undefined, 'accepted'],
  [-300, undefined, 'accepted'],
  [301, undefined, late],
  [-301, undefined, late],
  [11, 11, 'accepted'],
  [11, 10, late],
  [1e9, Infinity, 'accepted'],
])(
  'with a clock that is %i s ahead and the tolerance %s: %s',
  async (ahead, tolerance, outcome) => {
    const options = { ...good, now: at(ahead), ...(tolerance && { tolerance }) };
    expect(await codeOf(() => verifyWebhook(options))).toBe(outcome);
  },
);

it('uses the clock by default', async () => {
  expect(verifyWebhook({ ...sample({ now: new Date() }), secret: SECRET }).id).toBe(EVENT.id);
  expect(await codeOf(() => verifyWebhook({ body, headers, secret: SECRET }))).toBe(
    'timestamp_out_of_tolerance',
  );
});

const zeros = `sha256=${'0'.repeat(64)}`;
it.each<[string, WebhookHeaders, string]>([
  ['no timestamp', timed(undefined), 'missing_header'],
  ['an empty list of signatures', signed([]), 'malformed_header'],
  ['a timestamp with a fraction', timed('1748779200.0'), 'malformed_header'],
  ['a timestamp with a line end', timed('1748779200\n'), 'malformed_header'],
  ['two timestamps', timed([timestamp, timestamp]), 'malformed_header'],
  [
    'a timestamp in two cases',
    { ...headers, 'X-SERVICE-TIMESTAMP': timestamp },
    'malformed_header',
  ],
  ['milliseconds', timed(`${timestamp}000`), 'timestamp_out_of_tolerance'],
  ['no prefix', signed(signature.slice(7)), 'malformed_header'],
  ['another scheme', signed(signature.replace('256', '512')), 'malformed_header'],
  ['17 signatures', signed(Array(17).fill(zeros)), 'malformed_header'],
  ['only signatures of other schemes', signed('v2=abc, sha512=00'), 'malformed_header'],
  ['one good and one broken value', signed(`${signature},sha256=00`), 'malformed_header'],
  ['a line feed after the signature', signed(`${signature}\n`), 'malformed_header'],
  [
    'a broken next signature',
    { ...signed(signature), 'x-service-signature-next': 'sha256=00' },
    'malformed_header',
  ],
  ['a signature of another time', timed(`${Number(timestamp) + 1}`), 'signature_mismatch'],
])('refuses %s', async (_name, given, code) => {
  expect(await codeOf(() => verifyWebhook({ ...good, headers: given }))).toBe(code);
});

it('refuses a body that is not the signed one', async () => {
  const other = { ...good, body: body.replace('42', '43') };
  expect(await codeOf(() => verifyWebhook(other))).toBe('signature_mismatch');
});

it('names the form of a signature without its prefix', () => {
  expect(() => verifyWebhook({ ...good, headers: signed(signature.slice(7)) })).toThrow(
    'x-service-signature must be sha256=<hex>',
  );
});

it('accepts hex in upper and lower case', () => {
  const upper = `sha256=${signature.slice(7).toUpperCase()}`;
  expect(verifyWebhook({ ...good, headers: signed(upper) }).id).toBe(EVENT.id);
});

it.each<[string, string | string[]]>([
  ['second', `${zeros}, ${signature}`],
  ['in a header line of its own', [zeros, signature]],
  ['after one of a scheme that is not known', `v2=abc,${signature}`],
  ['as the last of 16', [...Array(15).fill(zeros), signature].join(', ')],
  ['between empty elements', `,, \t${signature}\t ,`],
])('accepts the valid signature %s of two', (_name, value) => {
  expect(verifyWebhook({ ...good, headers: signed(value) }).id).toBe(EVENT.id);
});

it('accepts either secret during a rotation', async () => {
  const rotating = { ...sample({ secret: ['new', 'old'] }), now: NOW };
  const simple = sample({ secret: 'old' }).headers['X-Service-Signature'];
  expect(rotating.headers['X-Service-Signature']).toBe(simple);
  expect(rotating.headers['X-Service-Signature-Next']).toMatch(/^sha256=[0-9a-f]{64}$/);
  for (const secret of ['new', 'old', ['other', 'old'], ['new', 'old']]) {
    expect(verifyWebhook({ ...rotating, secret }).id).toBe(EVENT.id);
  }
  expect(await codeOf(() => verifyWebhook({ ...rotating, secret: ['a', 'b'] }))).toBe(
    'signature_mismatch',
  );
});

it.each<[string, unknown]>([
  ['a parsed object', JSON.parse(body)],
  ['null', null],
])('reports how to fix a body that is %s', (_name, given) => {
  expect(() => verifyWebhook({ ...good, body: given as RawBody })).toThrow(
    expect.objectContaining({
      code: 'body_already_parsed',
      statusCode: 500,
      message: 'The raw body cannot be read: verify before parsing',
    }),
  );
});

it.each<[string, object | undefined]>([
  ['no secret', { secret: undefined }],
  ['an empty list of secrets', { secret: [] }],
  ['an empty secret in a list', { secret: [SECRET, ''] }],
  ['17 secrets', { secret: Array(17).fill(SECRET) }],
  ['a secret that is no text', { secret: 5 }],
])('throws a TypeError for %s, as signWebhook and the adapters do', (_name, wrong) => {
  const error = new TypeError('secret must be 1 to 16 non-empty strings');
  expect(() => verifyWebhook({ ...good, ...wrong })).toThrow(error);
  const options = { secret: SECRET, ...wrong };
  expect(() => signWebhook(EVENT, options)).toThrow(error);
  for (const create of [expressWebhook, fastifyWebhook, honoWebhook]) {
    expect(() => create(options)).toThrow(error);
  }
});

const secret = SECRET;
it.each<[string, string, (misspelt: object) => unknown]>([
  ['tolerence', 'did you mean tolerance?', (misspelt) => verifyWebhook({ ...good, ...misspelt })],
  ['body', 'use secret, tolerance, now', (other) => fastifyWebhook({ secret, ...other })],
  [
    'maxBodySize',
    'did you mean maxBodyBytes?',
    (misspelt) => fastifyWebhook({ secret, ...misspelt }),
  ],
  ['maxBodyBytes', 'use secret, tolerance, now', (other) => expressWebhook({ secret, ...other })],
  [
    'delivery',
    'did you mean deliveryId?',
    (misspelt) => signWebhook(EVENT, { secret, ...misspelt }),
  ],
  ['ttl', 'did you mean ttlMs?', (misspelt) => createDeduper(misspelt)],
])('refuses the option %s: %s', (name, hint, call) => {
  expect(() => call({ [name]: 1 })).toThrow(`${name} is not an option: ${hint}`);
});

it.each<[object, string]>([
  [{ tolerance: -1 }, 'tolerance -1: must be a number of seconds, at least 0'],
  [{ tolerance: Number.NaN }, 'tolerance NaN: must be a number of seconds, at least 0'],
  [{ tolerance: '300' }, 'tolerance "300": must be a number of seconds, at least 0'],
  [{ now: 1_748_779_200_000 }, 'now 1748779200000: must be a valid Date'],
  [{ now: new Date('') }, 'now Invalid Date: must be a valid Date'],
])('throws for %o, as the adapters do when they are created', (wrong, message) => {
  const error = new TypeError(message);
  expect(() => verifyWebhook({ ...good, ...wrong })).toThrow(error);
  for (const create of [expressWebhook, fastifyWebhook, honoWebhook]) {
    expect(() => create({ secret, ...wrong })).toThrow(error);
  }
});

it.each(['1mb', Number.NaN, 0, 1.5, Infinity])('throws for maxBodyBytes %o', (size) => {
  const options = { secret, maxBodyBytes: size as number };
  for (const create of [fastifyWebhook, honoWebhook]) {
    expect(() => create(options)).toThrow('must be a whole number of bytes, at least 1');
  }
});

it('throws for no headers', () => {
  const error = new TypeError('headers must be those of the request');
  expect(() => verifyWebhook({ ...good, headers: null as never })).toThrow(error);
});

it('has a stable status for each code', () => {
  const status = (code: WebhookVerificationError['code']) =>
    new WebhookVerificationError(code, '').statusCode;
  expect(status('malformed_header')).toBe(401);
  expect(status('timestamp_out_of_tolerance')).toBe(401);
  expect(status('invalid_json')).toBe(400);
});

it('parses long headers in linear time', async () => {
  const started = performance.now();
  for (const filler of [`${' '.repeat(60_000)};`, ','.repeat(60_000), '\t, '.repeat(20_000)]) {
    const spoiled = signed(filler + signature);
    expect(await codeOf(() => verifyWebhook({ ...good, headers: spoiled }))).toBe(
      'malformed_header',
    );
  }
  expect(performance.now() - started).toBeLessThan(1000);
});
