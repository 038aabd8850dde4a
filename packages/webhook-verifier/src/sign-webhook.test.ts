import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { EVENT, NOW, SECRET } from '../test/sample.js';
import { signWebhook, verifyWebhook } from './index.js';

const data = { hostname: 'go.example.com' };

it('creates the eight headers and the four fields of a delivery', () => {
  const { headers, body } = signWebhook(EVENT, { secret: SECRET, deliveryId: 'd-1', now: NOW });
  expect(headers).toEqual({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Service-Event': 'url.created',
    'X-Service-Delivery-Id': 'd-1',
    'X-Service-Timestamp': '1748779200',
    'X-Service-Signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    'webhook-id': 'd-1',
    'webhook-timestamp': '1748779200',
    'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
  expect(body).toBe(JSON.stringify(EVENT));
});

it('generates missing ids and times', () => {
  const event = { type: 'domain.verified', data, id: undefined } as const;
  const sign = () => signWebhook(event, { secret: SECRET });
  const [one, two] = [sign(), sign()];
  const [first, second] = [one, two].map((each) => verifyWebhook({ ...each, secret: SECRET }));
  expect(first?.id).not.toBe(second?.id);
  expect(first?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(one.headers['X-Service-Delivery-Id']).not.toBe(two.headers['X-Service-Delivery-Id']);
});

it('writes createdAt with milliseconds', () => {
  const event = {
    type: 'domain.verified',
    data,
    createdAt: '2025-06-01T14:00:00+02:00',
  } as const;
  expect(JSON.parse(signWebhook(event, { secret: SECRET }).body).createdAt).toBe(
    '2025-06-01T12:00:00.000Z',
  );
});

it('signs by the text and by the decoded bytes of whsec_ and base64', () => {
  const bytes = Buffer.alloc(24, 7);
  const secret = `whsec_${bytes.toString('base64')}`;
  const { headers, body } = signWebhook(EVENT, { secret, deliveryId: 'd-1', now: NOW });
  const signatureBy = (key: string | Buffer) =>
    `v1,${createHmac('sha256', key).update(`d-1.1748779200.${body}`).digest('base64')}`;
  expect(headers['webhook-signature']).toBe(`${signatureBy(bytes)} ${signatureBy(secret)}`);
});

it('signs the same body again for a second attempt', () => {
  const options = { secret: SECRET, deliveryId: 'd-1' };
  const first = signWebhook(EVENT, { ...options, now: NOW });
  const second = signWebhook(EVENT, { ...options, now: new Date(NOW.getTime() + 30_000) });
  expect(second.body).toBe(first.body);
  expect(second.headers['X-Service-Timestamp']).toBe('1748779230');
  expect(second.headers['X-Service-Signature']).not.toBe(first.headers['X-Service-Signature']);
});
