import { expect, it } from 'vitest';
import { startForFile } from './start-server.js';
import { visitHost } from './visit-host.js';

const api = await startForFile({
  pagesName: 'Müller & <Söhne>',
  pagesColor: '#ffee00',
  pagesLogo: 'https://cdn.example/logo.svg?a=1&b=2',
  abuseContact: 'mailto:abuse@sho.example',
});

const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
const create = api.createLink;

it('pages are in the language of the visitor, and are not cached', async () => {
  const paused = await create({ isActive: false });
  const taken = await create();
  await api.operator.call('takeDownUrl', { body: { shortUrl: taken.shortUrl, reason: 'spam' } });
  const locked = await create({ isPasswordProtected: true, password: 'open sesame' });
  const qr = await api.call('createQr', { body: { data: 'https://example.com/' } });
  for (const [path, status, text] of [
    ['/no-such-link', 404, 'Diesen Link gibt es nicht'],
    ['/two/segments', 404, 'Diesen Link gibt es nicht'],
    [`/${paused.shortCode}`, 410, 'Dieser Link ist nicht mehr aktiv'],
    [`/${taken.shortCode}`, 451, 'Dieser Link wurde gesperrt'],
    [`/${locked.shortCode}`, 200, 'Dieser Link ist geschützt'],
    ['/qr/no-such-code', 404, 'Diesen QR-Code gibt es nicht'],
    ['/qr/%zz', 404, 'Diesen Link gibt es nicht'],
    [qr.data.previewUrl, 200, 'PNG herunterladen'],
  ] as const) {
    const page = await api.visit(path, { headers: german });
    expect(page.status, path).toBe(status);
    expect(page.text).toContain('<html lang="de" dir="ltr">');
    expect(page.text).toContain(text);
    expect(page.text).toContain('<a href="mailto:abuse@sho.example">Missbrauch melden</a>');
    expect(page.headers.get('vary')).toBe('Accept-Language');
    expect(page.headers.get('cache-control')).toBe('no-store');
  }
  const wrong = await api.visit(`/${locked.shortCode}`, {
    method: 'POST',
    headers: { ...german, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'password=wrong',
  });
  expect(wrong.text).toContain('Falsches Passwort.');
  expect((await api.visit('/no-such-link')).text).toContain('This link does not exist');
});

it('pages are in the language of the visitor on custom domains', async () => {
  await api.addDomain('go.pages.example');
  const headers = { 'accept-language': 'ja' };
  for (const path of ['/nothing', '/qr/%zz']) {
    const page = await visitHost(api.server.url, 'go.pages.example', path, { headers });
    expect(page.text).toContain('<html lang="ja" dir="ltr">');
    expect(page.text).toContain('このリンクは存在しません');
  }
});

it('an address with invalid percent-encoding is unknown, in the form that the client prefers', async () => {
  const json = await api.visit('/qr/%zz', { headers: { accept: 'application/json' } });
  expect(json.outcome).toBe('404 NOT_FOUND');
  const page = await fetch(`${api.server.url}/docs/%ff`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(404);
  expect(await page.text()).toContain('This link does not exist');
});

it('pages have the name, the colour and the logo of the operator', async () => {
  const page = await api.visit('/no-such-link');
  const name = 'Müller &amp; &lt;Söhne&gt;';
  expect(page.text).toContain(`<title>This link does not exist – ${name}</title>`);
  expect(page.text).toContain(`<img src="https://cdn.example/logo.svg?a=1&amp;b=2" alt="${name}">`);
  expect(page.headers.get('content-security-policy')).toContain(
    "img-src 'self' data: https://cdn.example;",
  );
  // Yellow on black is readable, and yellow on white is not.
  expect(page.text).toContain('@media (prefers-color-scheme:dark){:root{--accent:rgb(255 238 0)}}');
  expect(page.text.match(/--accent:rgb\(255 238 0\)/g)).toHaveLength(1);
  // The page of the short domain does not say which software runs there.
  const home = await api.visit('/');
  expect(home.text).toContain(`<h1>${name}</h1>`);
  expect(home.text).not.toContain('Shorty');
});
