import { once } from 'node:events';
import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { codeOf, EVENT, NOW, SECRET, sample } from '../test/sample.js';
import { verifyRequest } from './verify-request.js';

const options = { secret: SECRET, now: NOW };
const request = (change: { body?: string | null; headers?: HeadersInit } = {}) =>
  new Request('http://receiver.test/hook', { method: 'POST', ...sample(), ...change });

it('returns the event of headers and a body', async () => {
  const { headers, body } = sample();
  const bytes = Buffer.from(body);
  for (const each of [body, bytes, Uint8Array.from(bytes).buffer]) {
    expect(await verifyRequest({ headers, body: each }, options)).toEqual(EVENT);
  }
  const parsed = { headers, body: JSON.parse(body) };
  expect(await codeOf(() => verifyRequest(parsed, options))).toBe('body_already_parsed');
});

const { headers } = sample();

it('refuses a body that was read or is locked', async () => {
  const read = request();
  await read.json();
  expect(await codeOf(() => verifyRequest(read, options))).toBe('body_already_parsed');
  const locked = request();
  locked.body?.getReader();
  expect(await codeOf(() => verifyRequest(locked, options))).toBe('body_already_parsed');
  // As Koa's `ctx.req` behind a parser, whose stream ends without a byte or an error.
  const body = Readable.from([sample().body], { objectMode: false });
  await body.toArray();
  for (const parsed of [{ headers, body }, Object.assign(body, { headers })]) {
    expect(await codeOf(() => verifyRequest(parsed, options))).toBe('body_already_parsed');
  }
});

it('reads a stream of Node whose chunks are text', async () => {
  const body = Readable.from([...sample().body]);
  expect(await verifyRequest({ headers, body }, options)).toEqual(EVENT);
});

it('reports the error of a body that cannot be read', async () => {
  const broken = { headers, arrayBuffer: () => Promise.reject(new Error('reset')) };
  await expect(verifyRequest(broken, options)).rejects.toMatchObject({
    name: 'WebhookVerificationError',
    message: 'The raw body cannot be read: reset',
    cause: new Error('reset'),
  });
});

it('refuses a request that the sender aborts, as no error of the application', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const init = { method: 'POST', headers: { ...headers, 'content-length': '9999' } };
  const sending = http.request({ host: '127.0.0.1', port, ...init }).on('error', () => {});
  sending.write('{');
  const [received] = await once(server, 'request');
  const reported = verifyRequest(received, options).catch((error) => error);
  sending.destroy();
  server.close();
  expect(await reported).toMatchObject({ code: 'request_aborted', statusCode: 400 });
});

/** A request whose body has no end, and counts the bytes that were taken from it. */
function endless(given: { headers?: HeadersInit } = {}) {
  const taken = { bytes: 0, canceled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      // A reader without a limit fails here, and does not take all the memory.
      if (taken.bytes > 8 * 1_048_576) throw new Error('it was read to the end');
      const chunk = new Uint8Array(65_536);
      taken.bytes += chunk.length;
      controller.enqueue(chunk);
    },
    cancel() {
      taken.canceled = true;
    },
  });
  const init = { method: 'POST', headers: given.headers ?? headers, body, duplex: 'half' };
  return { request: new Request('http://receiver.test/hook', init), taken };
}

it('stops reading an endless body at 1 MiB, and cancels it', async () => {
  const { request, taken } = endless();
  await expect(verifyRequest(request, options)).rejects.toMatchObject({
    code: 'body_too_large',
    statusCode: 413,
    message: 'The body must be at most 1048576 bytes',
  });
  expect(taken.bytes).toBeLessThan(2 * 1_048_576);
  expect(taken.canceled).toBe(true);
});

it('accepts a body of exactly the limit, and refuses a larger one', async () => {
  const maxBodyBytes = Buffer.byteLength(sample().body);
  expect(await verifyRequest(request(), { ...options, maxBodyBytes })).toEqual(EVENT);
  const less = { ...options, maxBodyBytes: maxBodyBytes - 1 };
  expect(await codeOf(() => verifyRequest(request(), less))).toBe('body_too_large');
  const { body } = sample();
  const whole = { headers, arrayBuffer: () => new Response(body).arrayBuffer() };
  expect(await codeOf(() => verifyRequest(whole, less))).toBe('body_too_large');
});

it.each<[string, HeadersInit, string]>([
  ['no headers', {}, 'missing_header'],
  ['a broken signature', { ...headers, 'X-Service-Signature': 'sha256=00' }, 'malformed_header'],
  ['an old timestamp', sample({ now: new Date(0) }).headers, 'timestamp_out_of_tolerance'],
])('does not read the body with %s', async (_name, given, code) => {
  const { request } = endless({ headers: given });
  expect(await codeOf(() => verifyRequest(request, options))).toBe(code);
  expect(request.bodyUsed).toBe(false);
});

it('parses the bytes that it hashed, even if the caller overwrites the buffer', async () => {
  const outcomes = new Set<unknown>();
  for (let turn = 0; turn < 40; turn += 1) {
    const { buffer } = new Uint8Array(Buffer.from(sample().body));
    const pending = verifyRequest({ headers, arrayBuffer: async () => buffer }, options).catch(
      (error: { code: unknown }) => error.code,
    );
    for (let passed = 0; passed < turn % 20; passed += 1) await Promise.resolve();
    if (turn >= 20) await new Promise(setImmediate);
    new Uint8Array(buffer).set(Buffer.from(sample().body.replace('aB3xY9z', 'EVIL123')));
    const outcome = await pending;
    outcomes.add(typeof outcome === 'string' ? outcome : JSON.stringify(outcome));
  }
  expect(outcomes).toEqual(new Set(['signature_mismatch', JSON.stringify(EVENT)]));
});
