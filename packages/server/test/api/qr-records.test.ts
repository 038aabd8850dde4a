import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const ids: string[] = [];
const api = await startForFile();
const caller = await api.newcomer('enterprise');
const body = { targetUrl: 'https://example.com/' };
const urlId = (await caller.createLink(body)).id;
for (let made = 0; made < 30; made += 1) {
  const body = made % 3 === 0 ? { urlId } : { data: `code ${made}` };
  ids.unshift((await caller.call('createQr', { body: { ...body, size: 200 } })).data.id);
  if (made % 2 === 0) api.clock.advance(1);
}

const list = (query: Record<string, string | number | boolean> = {}) =>
  caller.call('listQrs', { query });

describe('GET /api/v1/qr', () => {
  it('returns complete records', async () => {
    const { data } = await list({ limit: 1 });
    const one = await caller.call('getQr', { params: { id: ids[0] as string } });
    expect(data.items[0]).toEqual(one.data);
  });

  it('urlId selects the codes of one URL', async () => {
    const { data } = await list({ urlId });
    expect(data.total).toBe(10);
    expect(data.items.every((item) => item.urlId === urlId)).toBe(true);
  });

  it('standalone=true selects codes without a URL, false the others', async () => {
    const standalone = (await list({ standalone: true })).data;
    expect(standalone.total).toBe(20);
    expect(standalone.items.every((item) => item.urlId === null)).toBe(true);
    expect((await list({ standalone: false })).data.total).toBe(10);
    expect((await list({ standalone: true, urlId })).data.total).toBe(0);
  });
});

it('GET /api/v1/urls/{id}/qr returns the same as a list with this urlId', async () => {
  const query = { limit: 4, offset: 3 };
  const response = await caller.call('listUrlQrs', { params: { id: urlId }, query });
  expect(response.data).toEqual((await list({ ...query, urlId })).data);
});

it('GET /api/v1/qr/{id} accepts an id in upper and lower case', async () => {
  const id = (ids[0] as string).toUpperCase();
  expect((await caller.call('getQr', { params: { id } })).data.id).toBe(ids[0]);
});

const create = async (body: object = {}) =>
  (await api.call('createQr', { body: { data: 'a text', ...body } })).data;
const update = (id: string, body: object) => api.call('updateQr', { params: { id }, body });

describe('PATCH /api/v1/qr/{id}', () => {
  it('accepts size, format, foregroundColor, backgroundColor, logoUrl, errorCorrectionLevel', async () => {
    const { id, createdAt } = await create();
    api.clock.advance(1000);
    const body = {
      size: 1024,
      format: 'webp',
      foregroundColor: '#102030',
      backgroundColor: '#FFF0E0',
      background: 'transparent',
      margin: 2,
      logoUrl: null,
    };
    const { status, data } = await update(id, { ...body, errorCorrectionLevel: 'Q' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ ...body, errorCorrection: 'Q', qrData: 'a text', createdAt });
    expect(data.updatedAt > createdAt).toBe(true);
    expect((await api.call('getQr', { params: { id } })).data).toEqual(data);
  });

  it.each([
    ['data', 'another text'],
    ['urlId', 1],
    ['qrData', 'another text'],
    ['stylePreset', 'dots'],
    ['size', null],
    ['foregroundColor', '#FFFFFF'],
  ])(
    'refuses %s %j: the payload never changes, and the new image must decode',
    async (field, value) => {
      const before = await create();
      const response = await update(before.id, { [field]: value });
      expect(response.outcome).toBe('400 VALIDATION_FAILED');
      expect(response.invalidFields).toEqual([field]);
      const after = await api.call('getQr', { params: { id: before.id } });
      expect(after.data).toEqual(before);
    },
  );

  it('stores both of two concurrent changes', async () => {
    const { id } = await create();
    await Promise.all([
      update(id, { size: 300 }),
      update(id, { foregroundColor: '#112233' }),
      update(id, { format: 'svg' }),
      update(id, { errorCorrectionLevel: 'H' }),
    ]);
    expect((await api.call('getQr', { params: { id } })).data).toMatchObject({
      size: 300,
      foregroundColor: '#112233',
      format: 'svg',
      errorCorrection: 'H',
    });
    const { headers, text: image } = await api.visit(`/api/qr/${id}/download`);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(image).toContain('width="300"');
    expect(image).toContain('#112233');
  });
});

describe('DELETE /api/v1/qr/{id}', () => {
  it('marks the row as deleted, which reports still need, and omits it from lists', async () => {
    const qr = await create();
    const before = (await api.call('listQrs')).data.total;
    const { status, data } = await api.call('deleteQr', { params: { id: qr.id } });
    expect(status).toBe(200);
    expect(data).toEqual({ ...qr, updatedAt: data.updatedAt });
    const list = (await api.call('listQrs', { query: { limit: 100 } })).data;
    expect(list.total).toBe(before - 1);
    expect(list.items.map(({ id }) => id)).not.toContain(qr.id);
    const row = await api.server.database.read
      .selectFrom('qr_codes')
      .select(['qr_data', 'deleted_at', 'updated_at'])
      .where('id', '=', qr.id)
      .executeTakeFirst();
    const updated_at = Date.parse(data.updatedAt);
    expect(row).toEqual({ qr_data: 'a text', deleted_at: api.clock(), updated_at });
  });

  it('makes reads, changes, a second delete and scans of the code answer 404', async () => {
    const { id } = await create();
    await api.call('deleteQr', { params: { id } });
    for (const operation of ['getQr', 'deleteQr'] as const) {
      expect((await api.call(operation, { params: { id } })).outcome).toBe('404 NOT_FOUND');
    }
    expect((await update(id, { size: 300 })).outcome).toBe('404 NOT_FOUND');
    expect((await api.call('getQrScans', { params: { id } })).status).toBe(200);
  });
});
