import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { Shorty } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';
import { startCaddy } from '../lib/caddy.js';
import { freePort } from '../lib/processes.js';

interface Visit {
  readonly status: number | undefined;
  readonly location: string | undefined;
  /** The names in the certificate. */
  readonly names: string | undefined;
}

/** Requests a path of a host name from the proxy. */
function visit(port: number, name: string, path: string, isTls = true): Promise<Visit> {
  return new Promise((resolve, reject) => {
    const where = { host: '127.0.0.1', port, path, headers: { host: name } };
    const call = isTls
      ? requestHttps({ ...where, servername: name, rejectUnauthorized: false, agent: false })
      : requestHttp({ ...where, agent: false });
    call.on('error', reject).on('response', (response) => {
      const { subjectaltname: names } = isTls
        ? (response.socket as TLSSocket).getPeerCertificate()
        : {};
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode, location: response.headers.location, names }),
      );
    });
    call.end();
  });
}

test('Caddy gets certificates for verified domains on demand, and for no other name', async () => {
  const port = await freePort();
  const zone = new Map<string, string>();
  const server = createServer({
    port,
    baseUrl: 'https://sho.example',
    resolveTxt: async (name) => [zone.get(name) ?? ''],
  });
  await server.start();
  onTestFinished(() => server.stop());
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  const shorty = new Shorty({ baseUrl: `http://127.0.0.1:${port}`, clientId, clientSecret });
  // The first node is down.
  const upstreams = `127.0.0.1:${await freePort()} 127.0.0.1:${port}`;
  const caddy = await startCaddy(upstreams, 'sho.example', `127.0.0.1:${port}`);

  const targetUrl = 'https://example.com/';
  const { id, txtRecord } = await shorty.domains.create({ hostname: 'go.example.com' });
  await expect(visit(caddy.httpsPort, 'go.example.com', '/sale')).rejects.toThrow(/alert/);

  zone.set(txtRecord.name, txtRecord.value);
  await shorty.domains.verify(id);
  const { shortUrl } = await shorty.urls.create({ targetUrl, domainId: id, customSlug: 'sale' });
  expect(shortUrl).toBe('https://go.example.com/sale');
  expect(await visit(caddy.httpsPort, 'go.example.com', '/sale')).toEqual({
    status: 307,
    location: targetUrl,
    names: 'DNS:go.example.com',
  });

  await shorty.urls.create({ targetUrl: `${targetUrl}platform`, customSlug: 'sale' });
  expect(await visit(caddy.httpsPort, 'sho.example', '/sale')).toEqual({
    status: 307,
    location: `${targetUrl}platform`,
    names: 'DNS:sho.example',
  });
  await expect(visit(caddy.httpsPort, 'evil.example', '/sale')).rejects.toThrow(/alert/);

  const plain = await visit(caddy.httpPort, 'go.example.com', '/sale', false);
  expect(plain).toMatchObject({ status: 308, location: 'https://go.example.com/sale' });
});
