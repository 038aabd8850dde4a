import type { WebhookEventData } from '@shorty/webhook-verifier';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/event-types.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { person, startForTest } from '../api/start-server.js';
import { closed } from '../contract/openapi-document.js';
import { receiver } from './receiver.js';

// Strict, so that an unknown keyword is an error. The fields of a nullable type have two types.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
addFormats.default(ajv);

// Fails to compile when the contract's data is not what the verifier promises receivers.
const asReceived: WebhookEventData = eventExamples;

async function open() {
  const api = await startForTest({ allowPrivateNetwork: true, thresholds: [1] });
  const { items } = (await api.call('listEventTypes')).data;
  return { api, items };
}

describe('GET /api/v1/event-types', () => {
  it('has each type once, with a description and a valid schema that its example fits', async () => {
    const { items } = await open();
    expect(items.map(({ type }) => type)).toEqual(eventTypes);
    expect(items.filter(({ isOptIn }) => isOptIn).map(({ type }) => type)).toEqual(['url.clicked']);
    for (const { type, description, schema, example } of items) {
      expect(description).not.toBe('');
      expect(example.data).toEqual(asReceived[type]);
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      const check = ajv.compile(closed(schema) as object);
      expect(check(example), `${type}: ${ajv.errorsText(check.errors)}`).toBe(true);
      expect(check({ ...example, type: 'url.unknown' })).toBe(false);
    }
  });

  it('allows the fields that a newer server adds', async () => {
    const { items } = await open();
    for (const { schema, example } of items) {
      const { data } = example;
      const newer = { ...example, added: 1, data: { ...(data as object), added: [1] } };
      expect(ajv.compile(schema)(newer)).toBe(true);
    }
  });
});

it('each event that the server sends fits its schema, and the schema has all of its fields', async () => {
  const { api, items } = await open();
  const checks = new Map<string, ReturnType<typeof ajv.compile>>(
    items.map(({ type, schema }) => [type, ajv.compile(closed(schema) as object)]),
  );
  const hook = await receiver();
  await api.call('createWebhook', { body: { url: hook.url, events: ['*', 'url.clicked'] } });
  const received = () => new Set(hook.received.map(({ event }) => event.type as string));
  const visit = (path: string) => api.visit(path, { headers: person });
  const update = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

  const domain = await api.addDomain('go.example.com');
  const optional = {
    title: 'Spring',
    description: 'A sale',
    category: 'campaigns',
    tags: ['launch'],
    redirectType: 301,
    expiresAt: new Date(api.clock() + 60_000).toISOString(),
    activatesAt: new Date(api.clock()).toISOString(),
    expiredUrl: 'https://example.com/over',
    maxClicks: 1_000,
    isPasswordProtected: true,
    password: 'open sesame',
    utmSource: 'mail',
    utmMedium: 'email',
    utmCampaign: 'spring',
    utmTerm: 'sale',
    utmContent: 'top',
    customUtmParams: { utm_id: 'abc' },
    sourceDomain: 'example.com',
    preview: { title: 'Sale' },
  };
  const targetUrl = 'https://example.com/';
  const full = { targetUrl, ...optional, domainId: domain.id, customSlug: 'full' };
  const expiring = await api.createLink(full);
  await update(expiring.id, Object.fromEntries(Object.keys(optional).map((name) => [name, null])));
  await update(expiring.id, { expiresAt: optional.expiresAt });
  await api.call('bulkCreateUrls', { body: { urls: [{ targetUrl }, { targetUrl }] } });

  const link = await api.createLink({ targetUrl, customSlug: 'spring' });
  await api.call('deleteUrl', { params: { id: link.id } });
  await update(link.id, { isActive: true });
  const { data: qr } = await api.call('createQr', { body: { urlId: Number(link.id) } });
  const { data: text } = await api.call('createQr', { body: { data: 'a text' } });
  // A visit by code scans the QR code of a link with a slug.
  await visit(`/${link.shortCode}`);
  await visit('/spring');
  await expect
    .poll(
      () => {
        api.clock.advance(1_000);
        return [...received()];
      },
      { timeout: 30_000 },
    )
    .toEqual(expect.arrayContaining(['url.clicked', 'url.click_threshold', 'qr.scan_threshold']));
  for (const { id } of [qr, text]) await api.call('deleteQr', { params: { id } });
  api.clock.advance(60_000);
  await api.server.expireUrls();

  const failing = await receiver((response) => response.writeHead(500).end());
  const body = { url: failing.url, events: ['url.created'] };
  await api.call('createWebhook', { body });
  await api.call('createUrl', { body: { targetUrl } });
  await failing.arrived(1);
  await expect
    .poll(
      () => {
        // The endpoint is disabled when its next attempt fails after five days.
        api.clock.advance(5 * 24 * 60 * 60_000);
        return [...received()].sort();
      },
      { timeout: 30_000 },
    )
    .toEqual([...eventTypes].sort());

  for (const { body: sent, event } of hook.received) {
    const check = checks.get(event.type);
    const isValid = check?.(JSON.parse(sent));
    expect(isValid, `${sent}: ${ajv.errorsText(check?.errors)}`).toBe(true);
  }
}, 120_000);
