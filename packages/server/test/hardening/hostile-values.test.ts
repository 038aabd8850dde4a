import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import { startForFile } from '../api/start-server.js';
import { dereference, operations, type Schema } from '../contract/openapi-document.js';

const maxBusyMs = 50;
const maxAttempts = 5;
// As many as a request may have: the head is limited to 16 KB, and a part of a body to 512 KB.
const maxHeadBytes = 14_000;
const maxFieldBytes = 250_000;
const maxTextBytes = 64 * 1024;
const maxPartValues = 255;

const trustedProxies = parseAddressRanges('127.0.0.1, ::1');
const countryHeader = 'cf-ipcountry';
const api = await startForFile({ trustedProxies, countryHeader, rateLimit: 0, tokenRateLimit: 0 });
const body = { targetUrl: 'https://example.com/', maxClicks: 1_000_000 };
const link = `/${(await api.createLink(body)).shortCode}`;

/**
 * Expects that the main thread handles a request without a pause of 50 ms. A stall delays each attempt and
 * costs CPU time; other processes and garbage collection do not do both to all of them.
 */
async function expectNoStall(what: string, path: string, init: RequestInit): Promise<void> {
  let busyMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < maxAttempts && busyMs >= maxBusyMs; attempt += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const before = process.cpuUsage();
    delay.enable();
    const response = await fetch(api.server.url + path, { ...init, redirect: 'manual' });
    const text = await response.text();
    delay.disable();
    const { user, system } = process.cpuUsage(before);
    busyMs = Math.min(busyMs, delay.max / 1e6, (user + system) / 1e3);
    expect(response.status, `${what}: ${text.slice(0, 500)}`).toBeLessThan(500);
  }
  expect.soft(busyMs, what).toBeLessThan(maxBusyMs);
}

// Ideographs that all differ take longest to convert to ASCII.
const distinct = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at));

/** Texts that are repeated to the limits, by name. */
const fillers = {
  letters: 'a',
  spaces: ' ',
  'a URL with periods': 'https://a.',
  'percent escapes': '%41%',
  'backslashes and quotes': '\\"',
  'combining characters': 'a\u0301\u0316',
  'unpaired surrogates': '\ud800',
  'astral characters': '🌷',
  'control characters': '\u202e\u0007',
  ideographs: `https://${distinct.join('')}`,
} as const;

/** Returns a text of at most a size in bytes. */
function textOf(filler: string, bytes: number): string {
  const repeated = filler.repeat(Math.ceil(bytes / Buffer.byteLength(filler)));
  return repeated.slice(
    0,
    Math.max(1, Math.floor((repeated.length * bytes) / Buffer.byteLength(repeated))),
  );
}

interface Size {
  /** Whether parts are as many and as long as the contract allows, instead of the parser of bodies. */
  readonly isWithinLimits: boolean;
  readonly maxBytes: number;
}

/** Returns a value of a field's type, with as many and as long parts as its size allows. Parts differ. */
function hostileValue(given: Schema, filler: string, size: Size, at = 0): unknown {
  const schema = dereference(given);
  const { isWithinLimits, maxBytes } = size;
  const limit = (ofContract: number | undefined, ofParser: number) =>
    Math.min(ofParser, (isWithinLimits && ofContract) || ofParser);
  const ofPart = (count: number) => ({ ...size, maxBytes: Math.floor(maxBytes / count) });
  const variants = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.map(dereference);
  const last = variants?.filter(({ type }) => type !== 'null').at(-1);
  if (last) return hostileValue(last, filler, size, at);
  if (schema.items) {
    const count = Math.min(limit(schema.maxItems, maxPartValues), Math.ceil(maxBytes / 16));
    const { items } = schema;
    return Array.from({ length: count }, (_, index) =>
      hostileValue(items, filler, ofPart(count), at + index),
    );
  }
  if (schema.properties) {
    const fields = Object.entries(schema.properties);
    const each = ofPart(fields.length);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, hostileValue(field, filler, each, at)]),
    );
  }
  if (schema.type === 'object') {
    const count = Math.min(maxPartValues, Math.ceil(maxBytes / 400));
    const keys = Array.from({ length: count }, (_, at) => `${textOf(filler, 200)}${at}`);
    return Object.fromEntries(keys.map((key) => [key, textOf(filler, 200)]));
  }
  if (['integer', 'number', 'boolean'].includes(String(schema.type))) return 1e308;
  // What has a form is read further when it is valid: each rule of a link with a window of its own.
  if (isWithinLimits && schema.format === 'date-time') return new Date(2e12 + at).toISOString();
  if (isWithinLimits && schema.enum) return schema.enum[at % schema.enum.length];
  const length = Math.min(maxBytes, limit(schema.maxLength, maxTextBytes));
  const text = textOf(filler, length);
  return at === 0 ? text : text.slice(0, -String(at).length) + at;
}

const seen = new Set<string>();

/** Returns whether a field has not been tested for another route, by its name and schema. */
function isNew(name: string, schema: Schema): boolean {
  const key = JSON.stringify([name, dereference(schema)]);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

const pathOf = (path: string, value = '1') => path.replaceAll(/\{\w+\}/g, value);
const inApi = operations.filter(({ path }) => path.startsWith('/api/v1/'));
const tokenFor = (path: string) => (path.includes('/admin/') ? api.operator.token : api.token);

describe(`no hostile value keeps the main thread busy for ${maxBusyMs} ms`, () => {
  const writes = inApi.filter(({ requestBody }) => requestBody?.content['application/json']);
  it.each(writes.map((each) => [each.operationId, each] as const))(
    'in a field of the body of %s',
    async (_, { path, method, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema as Schema;
      const { properties = {} } = dereference(schema);
      const headers = {
        authorization: `Bearer ${tokenFor(path)}`,
        'content-type': 'application/json',
      };
      const send = (what: string, value: object) =>
        expectNoStall(what, pathOf(path), {
          method: method.toUpperCase(),
          headers,
          body: JSON.stringify(value),
        });
      const fields = Object.entries(properties).filter(([field, each]) => isNew(field, each));
      for (const [name, filler] of Object.entries(fillers)) {
        for (const [field, each] of fields) {
          for (const isWithinLimits of [true, false]) {
            const value = hostileValue(each, filler, { isWithinLimits, maxBytes: maxFieldBytes });
            await send(`${field}: ${name}`, { targetUrl: 'https://example.com/', [field]: value });
          }
        }
        const names = Array.from({ length: 200 }, (_, at) => [`${textOf(filler, 500)}${at}`, at]);
        await send(`unknown fields: ${name}`, Object.fromEntries(names));
      }
    },
    120_000,
  );

  it('in a parameter', async () => {
    for (const { path, method, parameters: all = [] } of inApi) {
      const parameters = all.filter((each) => isNew(each.name, each.schema));
      const headers = { authorization: `Bearer ${tokenFor(path)}` };
      for (const [name, filler] of Object.entries(fillers)) {
        const encoded = encodeURIComponent(textOf(filler, 4_000).toWellFormed());
        const value = encoded.slice(0, maxHeadBytes).replace(/%.?$/, '');
        for (const parameter of parameters) {
          const what = `${method} ${path} ${parameter.name}: ${name}`;
          const init = { method: method.toUpperCase(), headers };
          if (parameter.in === 'path') await expectNoStall(what, pathOf(path, value), init);
          if (parameter.in === 'query') {
            await expectNoStall(what, `${pathOf(path)}?${parameter.name}=${value}`, init);
          }
        }
      }
    }
  }, 120_000);

  // The parser reads header bytes as Latin-1. Those from 0x80 on are valid in each header.
  const highBytes = Buffer.from(Array.from({ length: 128 }, (_, at) => 0x80 + at));
  const ofHeaders = [
    ...['a', ' x', 'a,', 'de;q=0.1,', '"a",', 'W/"a",', '0-1,', 'a/1.0 (x; y) ', '1.1.1.1,'],
    ...['news', 'Mozilla/5.0 (', '(KHTML, like Gecko) ', 'qr code ', 'FBAN/', '9.'],
    ...['a=b; ', '[', 'en-', '\\', 'https://a.', '%E4', highBytes.toString('latin1')],
  ];
  it.each([
    ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cookie', 'forwarded'],
    ...['idempotency-key', 'if-match', 'if-modified-since', 'if-none-match', 'origin', 'range'],
    ...['referer', 'sec-ch-ua', 'traceparent', 'user-agent', 'x-forwarded-for', 'x-request-id'],
    ...['x-forwarded-host', 'x-forwarded-proto', 'content-type', 'access-control-request-headers'],
    ...['cf-ipcountry', 'content-encoding', 'dnt', 'purpose', 'sec-ch-ua-mobile', 'sec-fetch-mode'],
    ...['sec-ch-ua-platform', 'sec-gpc', 'sec-purpose', 'signature-agent', 'x-moz', 'x-purpose'],
  ])(
    'in the header %s',
    async (name) => {
      const starts = { 'user-agent': 'Mozilla/5.0 (Linux; ', range: 'bytes=', referer: 'https://' };
      const start = starts[name as keyof typeof starts] ?? '';
      for (const filler of ofHeaders) {
        const value = (start + filler.repeat(maxHeadBytes)).slice(0, maxHeadBytes).trim();
        const headers = { authorization: `Bearer ${api.token}`, [name]: value };
        for (const path of [link, '/api/v1/urls']) {
          await expectNoStall(`${path}: ${filler}`, path, { headers });
        }
      }
    },
    120_000,
  );
});
