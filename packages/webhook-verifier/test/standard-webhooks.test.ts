import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { signWebhook, verifyWebhook, type WebhookHeaders } from '../src/index.js';
import { verifyDelivery, verifyRequest } from '../src/web.js';
import { codeOf, EVENT, NOW, SECRET, sample } from './sample.js';

const whsecOf = (secret: string) => `whsec_${Buffer.from(secret).toString('base64')}`;
const libraries = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;
const { headers, body } = sample();

/** The headers whose names start with the text. */
const only = (start: string, all: Readonly<Record<string, string>> = headers) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name.toLowerCase().startsWith(start)));
const standard = only('webhook-');
const shorty = only('x-service-');

/** What both verifiers make of a delivery. */
async function outcomeOf(given: WebhookHeaders, secret: string | readonly string[] = SECRET) {
  const options = { secret, now: NOW };
  const request = { headers: given, arrayBuffer: () => new Response(body).arrayBuffer() };
  const sync = await codeOf(() => verifyWebhook({ ...options, headers: given, body }));
  expect(await codeOf(() => verifyRequest(request, options))).toEqual(sync);
  return sync;
}

describe.each(libraries)('%s', (_name, Library) => {
  it.each([SECRET, 'ключ-🔑-pässword', 's'])('accepts what signWebhook signs with %s', (secret) => {
    const signed = signWebhook(EVENT, { secret });
    const library = new Library(whsecOf(secret));
    expect(() => library.verify(signed.body, signed.headers)).not.toThrow();
    const changed = signed.body.replace('42', '43');
    expect(() => library.verify(changed, signed.headers)).toThrow();
  });

  it('signs what both verifiers accept, with either form of the secret', async () => {
    const signature = new Library(whsecOf(SECRET)).sign('msg_1', NOW, body);
    const given = { ...standard, 'webhook-id': 'msg_1', 'webhook-signature': signature };
    for (const secret of [SECRET, whsecOf(SECRET), ['other', SECRET]]) {
      expect(await outcomeOf(given, secret)).toBe('accepted');
    }
    expect(await outcomeOf(given, 'other')).toBe('signature_mismatch');
  });
});

describe('the headers of Standard Webhooks', () => {
  const signature = standard['webhook-signature'] as string;
  const zeros = `v1,${'A'.repeat(43)}=`;
  const with_ = (change: Record<string, string>) => ({ ...standard, ...change });

  it.each<[string, WebhookHeaders]>([
    ['alone', standard],
    ['as Headers', new Headers(standard)],
    ['with a second signature', with_({ 'webhook-signature': `${zeros} ${signature}` })],
    ['with a signature of another scheme', with_({ 'webhook-signature': `v1a,x== ${signature}` })],
  ])('are accepted %s', async (_name, given) => {
    expect(await outcomeOf(given)).toBe('accepted');
    expect(await outcomeOf(given, whsecOf(SECRET))).toBe('accepted');
  });

  const hex = shorty['X-Service-Signature'] as string;
  it.each<[string, WebhookHeaders, string]>([
    ['another id', with_({ 'webhook-id': 'other' }), 'signature_mismatch'],
    ['another time', with_({ 'webhook-timestamp': '1748779201' }), 'signature_mismatch'],
    ['an old time', with_({ 'webhook-timestamp': '1748770000' }), 'timestamp_out_of_tolerance'],
    ['another signature', with_({ 'webhook-signature': zeros }), 'signature_mismatch'],
    ['a short signature', with_({ 'webhook-signature': 'v1,AAAA' }), 'malformed_header'],
    ['a line feed', with_({ 'webhook-signature': `${signature}\n` }), 'malformed_header'],
    ['a hex signature', with_({ 'webhook-signature': hex }), 'malformed_header'],
    ['17 signatures', with_({ 'webhook-signature': `${zeros} `.repeat(25) }), 'malformed_header'],
  ])('with %s', async (_name, given, code) => {
    expect(await outcomeOf(given)).toBe(code);
  });

  it.each(Object.keys(standard))('without %s are refused', async (name) => {
    const { [name]: _, ...rest } = standard;
    expect(await outcomeOf(rest)).toBe('missing_header');
  });

  it('do not replace an invalid X-Service-Signature', async () => {
    const forged = { ...headers, 'X-Service-Signature': `sha256=${'0'.repeat(64)}` };
    expect(await outcomeOf(forged)).toBe('signature_mismatch');
    expect(await outcomeOf({ ...headers, 'X-Service-Signature': '' })).toBe('malformed_header');
    expect(await outcomeOf({ ...standard, ...only('x-service-sig') })).toBe('missing_header');
  });

  it('have the signature by the middle one of three secrets', async () => {
    const rotating = sample({ secret: ['newest', 'middle', 'oldest'] }).headers;
    for (const secret of ['newest', 'middle', 'oldest', ['other', 'middle']]) {
      expect(await outcomeOf(rotating, secret)).toBe('accepted');
    }
    expect(await outcomeOf(rotating, 'other')).toBe('signature_mismatch');
    const { 'webhook-signature': _, ...simple } = rotating;
    expect(await outcomeOf(simple, 'newest')).toBe('accepted');
    expect(await outcomeOf(simple, 'middle')).toBe('signature_mismatch');
  });

  it('are not checked beside a valid X-Service-Signature', async () => {
    expect(await outcomeOf({ ...headers, 'webhook-signature': zeros })).toBe('accepted');
  });

  it('take no part of the other scheme', async () => {
    // The signed text of one scheme, cut in another place, is no delivery of the other.
    const timestamp = standard['webhook-timestamp'] as string;
    const given = { ...standard, 'webhook-id': timestamp, 'webhook-timestamp': '1' };
    expect(await outcomeOf(given)).toBe('timestamp_out_of_tolerance');
  });

  it('give a delivery the id that they sign, also during a rotation', async () => {
    const rotating = sample({ secret: ['new', SECRET] }).headers;
    for (const given of [headers, standard, rotating]) {
      const unsigned = { ...given, ...(given !== headers && { 'X-Service-Delivery-Id': 'other' }) };
      const options = { secret: SECRET, now: NOW };
      const delivery = await verifyDelivery({ headers: unsigned, body }, options);
      expect(delivery).toEqual({ event: EVENT, deliveryId: 'delivery-1' });
    }
  });
});

describe('a secret that starts with whsec_', () => {
  it.each(['whsec_test_0123456789abcdef', 'whsec_A==='])(
    'is the key of webhook-signature as it is if no base64 follows: %s',
    async (secret) => {
      const given = only('webhook-', sample({ secret }).headers);
      const key = Buffer.from(secret).toString('base64');
      expect(await outcomeOf(given, `whsec_${key}`)).toBe('accepted');
    },
  );

  it('is not decoded for X-Service-Signature', async () => {
    expect(await outcomeOf(headers, whsecOf(SECRET))).toBe('signature_mismatch');
  });

  it.each(['a', '\0\xff'])('has the key %j in base64', async (text) => {
    const bytes = Buffer.from(text, 'latin1');
    const secret = `whsec_${bytes.toString('base64')}`;
    const signature = new StandardWebhook(bytes, { format: 'raw' }).sign('msg_1', NOW, body);
    const given = { ...standard, 'webhook-id': 'msg_1', 'webhook-signature': signature };
    expect(await outcomeOf(given, secret)).toBe('accepted');
  });
});
