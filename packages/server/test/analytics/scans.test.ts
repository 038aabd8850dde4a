import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilStored } from './stored-visits.js';
import { agents, startVisitedServer, type VisitedServer, type Visitor } from './visited-server.js';

let api: VisitedServer;
beforeEach(async () => {
  api = await startVisitedServer();
});
afterEach(() => api.stop());

const createUrl = (body?: object) => api.createLink(body);
const createQr = async (urlId: string) => (await api.call('createQr', { body: { urlId } })).data;
const visit = (key: string, visitor?: Visitor) => api.visitAs(key, { agent: 'iphone', ...visitor });

const scans = async (id: string, query: Record<string, string | number> = {}) => {
  await api.settle();
  return (await api.freshCaller()).call('getQrScans', { params: { id }, query });
};
const scanCountOf = async (id: string) => {
  await api.settle();
  return (await (await api.freshCaller()).call('getQr', { params: { id } })).data.scanCount;
};

const proven = (scans: number) => ({ provenScans: scans, inferredScans: 0 });
const inferred = (scans: number) => ({ provenScans: 0, inferredScans: scans });

describe('GET /api/v1/qr/{id}/scans', () => {
  // report-model.test.ts compares every field with those of a model.
  it('infers scans from the devices of visitors without a referrer', async () => {
    const url = await createUrl();
    const qr = await createQr(url.id);
    await visit(url.shortCode);
    await visit(url.shortCode, { agent: 'android', address: '192.0.2.2' });
    api.clock.advance(1);
    const { data } = await scans(qr.id);
    expect(data).toMatchObject({
      since: '2029-12-02T00:00:00.001Z',
      until: '2030-01-01T00:00:00.001Z',
      totals: { totalScans: 2, uniqueScans: 2, uniqueIps: 2, ...inferred(2) },
      breakdowns: {
        device: [{ deviceType: 'mobile', scans: 2, ...inferred(2) }],
        scanMethod: [{ scanMethod: 'camera', scans: 2, ...inferred(2) }],
        scannerApp: [
          { scannerApp: 'Android Camera', scans: 1, ...inferred(1) },
          { scannerApp: 'iOS Camera', scans: 1, ...inferred(1) },
        ],
      },
    });
    expect(data.timeseries).toHaveLength(31);
  });

  it('counts visits by short code as scans and clicks, and visits by custom slug only as clicks', async () => {
    const url = await createUrl({ customSlug: 'shared-link' });
    const qr = await createQr(url.id);
    await visit('shared-link');
    await visit(url.shortCode, { agent: 'firefox', referer: 'https://news.example/' });
    await visit(url.shortCode, { agent: 'firefox' });
    await visit(url.shortCode);
    api.clock.advance(1);
    const { data } = await scans(qr.id);
    expect(data.totals.totalScans).toBe(3);
    expect(data.breakdowns.scanMethod).toMatchObject([
      { scanMethod: 'camera', scans: 2, ...proven(2) },
      { scanMethod: 'manual_entry', scans: 1, ...proven(1) },
    ]);
    expect(data.breakdowns.scannerApp).toContainEqual({
      ...{ scannerApp: '(none)', label: '(none)' },
      ...{ scans: 1, count: 1 },
      ...proven(1),
    });
    expect(data.totals).toMatchObject(proven(3));
    const clicks = await api.call('getUrl', { params: { id: url.id } });
    expect(clicks.data.clickCount).toBe(4);
  });

  it('counts a visit of a URL with a password by the request for the form', async () => {
    const password = 'sesame';
    const url = await createUrl({ isPasswordProtected: true, password });
    const qr = await createQr(url.id);
    const path = `/${url.shortCode}?utm_campaign=poster`;
    const asBrowser = { 'user-agent': agents.iphone, 'sec-fetch-site': 'same-origin' };
    /** Sends a page's form as a browser does: with its hidden fields. */
    const submit = (page: string, word: string) => {
      const fields = new URLSearchParams({ password: word });
      for (const [, name = '', value = ''] of page.matchAll(
        /<input type="hidden" name="(\w+)" value="([^"]*)">/g,
      )) {
        fields.set(name, value.replaceAll('&amp;', '&'));
      }
      const referer = `${api.server.url}${path}`;
      return api.visit(path, { method: 'POST', headers: { ...asBrowser, referer }, body: fields });
    };
    const fromPage = {
      ...asBrowser,
      'sec-fetch-site': 'cross-site',
      referer: 'https://news.example/a?b="><script>&c',
    };
    const fromCode = { ...asBrowser, 'sec-fetch-site': 'none' };
    for (const headers of [fromCode, fromPage, { 'user-agent': agents.iphone }]) {
      const form = await api.visit(path, { headers });
      expect(form.text).not.toContain('<script>');
      const again = await submit(form.text, 'wrong');
      expect(again.status).toBe(401);
      const invalid = await submit(again.text, '');
      expect(invalid.status).toBe(400);
      expect((await submit(invalid.text, password)).status).toBe(303);
    }
    await untilStored(api.server.database, 3);
    api.clock.advance(1);
    expect((await scans(qr.id)).data.totals.totalScans).toBe(2);
    const { data } = await api.call('getUrlClicks', { params: { id: url.id } });
    expect(data.breakdowns.referrer).toMatchObject([
      { referrerDomain: '(direct)', referrerType: 'direct', clicks: 2 },
      { referrerDomain: 'news.example', referrerType: 'other', clicks: 1 },
    ]);
  });

  it('counts the scans between the creation and the deletion of a QR code', async () => {
    const url = await createUrl();
    await visit(url.shortCode);
    api.clock.advance(1000);
    const first = await createQr(url.id);
    await visit(url.shortCode);
    api.clock.advance(1000);
    const second = await createQr(url.id);
    await visit(url.shortCode);
    api.clock.advance(1000);
    await api.call('deleteQr', { params: { id: first.id } });
    await visit(url.shortCode);
    api.clock.advance(1000);
    expect((await scans(first.id)).data.totals.totalScans).toBe(2);
    expect((await scans(second.id)).data.totals.totalScans).toBe(2);
    expect(await scanCountOf(second.id)).toBe(2);
    const listed = await api.call('listQrs', { query: { urlId: url.id } });
    expect(listed.data.items.map(({ scanCount }) => scanCount)).toEqual([2]);
  });

  it('returns no URL and no scans for a standalone QR code', async () => {
    const qr = (await api.call('createQr', { body: { data: 'a text' } })).data;
    const { data } = await scans(qr.id);
    expect(data).toMatchObject({ urlId: null, totals: { totalScans: 0 } });
    expect(data.timeseries).not.toHaveLength(0);
  });
});
