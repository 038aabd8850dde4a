import { describe, expect, it } from 'vitest';
import { readWithOthers } from '../qr/other-decoders.js';
import { type Caller, startForFile, startForTest } from './start-server.js';

const api = await startForFile();
const body = { targetUrl: 'https://example.com/', customSlug: 'qr-of-this' };
const url = await api.createLink(body);

const create = (body: object) => api.call('createQr', { body });
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const countOfCodes = async () => (await api.call('listQrs')).data.total;

describe('POST /api/v1/qr/preview', () => {
  it('draws the image that a create stores, for a reader, and stores and charges nothing', async () => {
    const before = { codes: await countOfCodes(), usage: (await api.call('getUsage')).data.meters };
    const body = { urlId: url.id, format: 'svg', stylePreset: 'dots' };
    const { status, data } = await api.call('previewQrDesign', { body });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      qrData: `${api.server.url}/${url.shortCode}`,
      format: 'svg',
      size: 512,
    });
    const [type, content = ''] = data.image.split(',');
    expect(type).toBe('data:image/svg+xml;base64');
    const image = Buffer.from(content, 'base64');
    expect((await readWithOthers(image)).qr?.toString()).toBe(data.qrData);
    expect(await countOfCodes()).toBe(before.codes);
    expect((await api.call('getUsage')).data.meters).toMatchObject({
      qr_generated: before.usage.qr_generated,
    });
  });

  it('refuses what a create refuses, with the same message', async () => {
    const body = { data: 'x', foregroundColor: '#FFFFFF' };
    const [preview, created] = [await api.call('previewQrDesign', { body }), await create(body)];
    expect(preview.outcome).toBe('400 VALIDATION_FAILED');
    expect(preview.error.message).toBe(created.error.message);
  });
});

describe('POST /api/v1/qr', () => {
  it('returns the QR record, with every field of the specification', async () => {
    const { status, data } = await create({ urlId: url.id });
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.stringMatching(uuid),
      urlId: url.id,
      organizationId: api.organizationId,
      qrData: `${api.server.url}/${url.shortCode}`,
      format: 'png',
      size: 512,
      errorCorrection: 'M',
      foregroundColor: '#000000',
      backgroundColor: '#FFFFFF',
      background: 'solid',
      margin: 4,
      logoUrl: null,
      stylePreset: 'default',
      downloadCount: 0,
      scanCount: 0,
      downloadUrl: `/api/qr/${data.id}/download`,
      previewUrl: `/qr/${data.id}`,
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('encodes {public_host}/{shortCode} for a code with a URL, and never the slug', async () => {
    const { data } = await create({ urlId: Number(url.id) });
    expect(data.qrData.endsWith(`/${url.shortCode}`)).toBe(true);
    expect(data.qrData).not.toContain('qr-of-this');
    const prefixed = await startForTest({ publicHost: 'https://go.example/q' });
    const body = { targetUrl: 'https://example.com/' };
    const { id, shortCode } = await prefixed.createLink(body);
    const other = await prefixed.call('createQr', { body: { urlId: id } });
    expect(other.data.qrData).toBe(`https://go.example/q/${shortCode}`);
  });

  it('creates a standalone code from data: urlId is null, and the code belongs to the organization', async () => {
    const { data } = await create({ data: 'any text' });
    expect(data).toMatchObject({ urlId: null, qrData: 'any text' });
    const other = await api.newcomer('free');
    expect((await other.call('getQr', { params: { id: data.id } })).status).toBe(404);
  });
});

describe('control characters in data are decoded byte for byte', () => {
  const controls = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at)).join('');
  const payloads = [
    ['ISO 15434', '[)>\u001e06\u001d9S1234\u001d1P99\u001e\u0004'],
    ['every control character but U+0000', controls(1, 31) + controls(0x7f, 0x9f)],
    ['bidirectional overrides', 'a\u202eb\u2066c'],
  ] as const;

  it.each(payloads)('%s', async (_, text) => {
    const { status, data } = await create({ data: text, size: 600 });
    expect(status).toBe(201);
    expect(data.qrData).toBe(text);
    expect((await api.call('getQr', { params: { id: data.id } })).data.qrData).toBe(text);
    const image = await fetch(api.server.url + data.downloadUrl);
    const { qr, zbar } = await readWithOthers(new Uint8Array(await image.arrayBuffer()));
    expect(qr).toEqual(Buffer.from(text));
    expect(zbar).toEqual(Buffer.from(text));
    const preview = await fetch(api.server.url + data.previewUrl);
    // Browsers do not show control characters.
    expect(await preview.text()).not.toMatch(/(?![\t\n\r])\p{Cc}/u);
  });
});

describe('invalid input is refused with its field, and nothing is stored', () => {
  const half = 'half \ud83c of a pair';
  it.each([
    ['neither urlId nor data', {}, ['urlId']],
    ['half a surrogate pair', { data: half }, ['data']],
    [
      'errorCorrection, which only responses have',
      { data: 'x', errorCorrection: 'H' },
      ['errorCorrection'],
    ],
    ['a logo from a file', { data: 'x', logoUrl: 'file:///etc/passwd' }, ['logoUrl']],
  ])('%s', async (_, body, fields) => {
    const before = await countOfCodes();
    const response = await create(body);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(fields);
    expect(await countOfCodes()).toBe(before);
  });
});

describe('the meter qr_generated', () => {
  const used = async (caller: Pick<Caller, 'call'>) =>
    (await caller.call('getUsage')).data.meters.qr_generated?.used;

  it('does not count repeated and failed creates, PATCH and DELETE', async () => {
    const caller = await api.newcomer('developer');
    const call = { body: { data: 'x' }, headers: { 'idempotency-key': 'charged-once' } };
    const { id } = (await caller.call('createQr', call)).data;
    expect((await caller.call('createQr', call)).data.id).toBe(id);
    await caller.call('createQr', { body: { data: 'x', size: 1 } });
    await caller.call('createQr', { body: { urlId: 12345 } });
    await caller.call('updateQr', { params: { id }, body: { size: 300 } });
    await caller.call('deleteQr', { params: { id } });
    expect(await used(caller)).toBe(1);
  });

  it('stops the Free plan after 25 codes with QUOTA_EXCEEDED until the next month', async () => {
    const free = await api.newcomer('free');
    const bodies = Array.from({ length: 30 }, (_, at) => ({ data: `code ${at}`, size: 200 }));
    const responses = await Promise.all(bodies.map((body) => free.call('createQr', { body })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(25);
    const body = { data: 'one more' };
    const refused = await free.call('createQr', { body });
    expect(refused.outcome).toBe('402 QUOTA_EXCEEDED');
    expect(refused.error.message).toBe(
      'The plan free includes 25 QR codes each month, and 25 are used. Wait for the next month, or change the plan',
    );
    const { id } = (await free.call('listQrs', { query: { limit: 1 } })).data.items[0] ?? {};
    await free.call('deleteQr', { params: { id: id as string } });
    expect((await free.call('createQr', { body })).outcome).toBe('402 QUOTA_EXCEEDED');
    expect(await used(free)).toBe(25);
    api.clock.advance(31 * 24 * 60 * 60 * 1000);
    const later = await api.newcomer('free');
    expect((await later.call('createQr', { body })).status).toBe(201);
    expect(await used(later)).toBe(1);
  });

  it('counts codes of paid plans beyond their bundle', async () => {
    const caller = await api.newcomer('developer');
    const { database } = api.server;
    const month = new Date(api.clock()).toISOString().slice(0, 7);
    await database.writeDirectly(async (transaction) => {
      await transaction
        .insertInto('usage_meters')
        .values({
          organization_id: caller.organizationId,
          month,
          meter: 'qr_generated',
          used: 1_000,
        })
        .execute();
    });
    expect((await caller.call('createQr', { body: { data: 'x' } })).status).toBe(201);
    expect(await used(caller)).toBe(1_001);
  });
});
