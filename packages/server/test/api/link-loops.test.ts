import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.js';

let api: TestServer;
let port: string;
beforeAll(async () => {
  api = await startServer();
  ({ port } = new URL(api.server.url));
});
afterAll(() => api.stop());

let count = 0;
function newSlug(): string {
  count += 1;
  return `slug-${count}`;
}
const elsewhere = 'https://example.com/';
const at = (slug: string) => `${api.server.url}/${slug}`;
const create = (customSlug: string, targetUrl: string) =>
  api.call('createUrl', { body: { customSlug, targetUrl } });
const aim = (id: string, targetUrl: string) =>
  api.call('updateUrl', { params: { id }, body: { targetUrl } });

const encodeLetter = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

/** Returns the Location of a visit, or its status. fetch cannot send another Host header. */
function visit(slug: string, host: string): Promise<string | number> {
  return new Promise((resolve, reject) => {
    const call = request(`${api.server.url}/${slug}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers.location ?? response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end();
  });
}

async function addDomain(hostname: string): Promise<string> {
  const { data } = await api.call('createDomain', { body: { hostname } });
  api.zone.set(data.txtRecord.name, [data.txtRecord.value]);
  expect((await api.call('verifyDomain', { params: { id: data.id } })).status).toBe(200);
  return data.id;
}

let idnDomainId: Promise<string> | undefined;

describe('a link whose target leads back to it', () => {
  it.each<[string, (slug: string) => string]>([
    ['as it is', (slug) => at(slug)],
    ['with a slash, a query and a fragment', (slug) => `${at(slug)}/?a=1#b`],
    ['with a letter encoded', (slug) => at(slug).replace('slug', '%73lug')],
    ['with dots in the path', (slug) => at(`x/.././${slug}`)],
    ['with two slashes', (slug) => at(`/${slug}`)],
    ['with backslashes', (slug) => `http:\\\\localhost\\${slug}`.replace(/^http:../, 'http://')],
    ['by another port', (slug) => `http://localhost:9/${slug}`],
    ['without a port, by https', (slug) => `https://localhost/${slug}`],
    ['with a final dot', (slug) => `http://localhost.:${port}/${slug}`],
    ['in capitals', (slug) => `HTTP://LOCALHOST:${port}/${slug}`],
    ['in full-width letters', (slug) => `http://ｌｏｃａｌｈｏｓｔ:${port}/${slug}`],
    ['by another name of loopback', (slug) => `http://127.0.0.1:${port}/${slug}`],
    ['by a number that is loopback', (slug) => `http://0x7f.1:${port}/${slug}`],
    ['by IPv6', (slug) => `http://[0:0::1]:${port}/${slug}`],
    ['by IPv6 that maps loopback', (slug) => `http://[::ffff:127.0.0.1]:${port}/${slug}`],
    ['by another address of loopback', (slug) => `http://127.0.0.2:${port}/${slug}`],
    ['by a subdomain of localhost', (slug) => `http://links.localhost:${port}/${slug}`],
    ['with the host encoded', (slug) => `http://local%68ost:${port}/${slug}`],
    ['with an encoded slash', (slug) => `${at('')}%2F${slug}%2f`],
    ['with encoded dots', (slug) => at(`x%2F..%2F${slug}`)],
    ['with slashes at the end', (slug) => at(`${slug}//`)],
    ['with every letter encoded', (slug) => at(slug.replace(/[a-z]/g, encodeLetter))],
  ])('is refused %s', async (_name, target) => {
    const slug = newSlug();
    const targetUrl = target(slug);
    const refused = await create(slug, targetUrl);
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.invalidFields).toEqual(['targetUrl']);
    expect(refused.error.message).toBe(
      `targetUrl "${targetUrl}" must not lead back to this link, directly or through other links, and must not lead through more than 10 links of this server`,
    );
    const { data } = await create(slug, elsewhere);
    expect((await aim(data.id, targetUrl)).outcome).toBe('400 VALIDATION_FAILED');
    const byCode = at(data.shortCode);
    expect((await aim(data.id, byCode)).invalidFields).toEqual(['targetUrl']);
    const bulk = await api.call('bulkUpdateUrls', {
      body: { updates: [{ id: data.id, targetUrl: byCode }] },
    });
    expect(bulk.data.errors).toMatchObject([{ index: 0, code: 'UPDATE_FAILED' }]);
    expect(bulk.data.errors[0]?.error).toContain(byCode);
  });

  it('is refused when the loop includes an active or inactive link; a target without a loop is accepted', async () => {
    const [one, two] = [newSlug(), newSlug()];
    // The second slug is still free.
    const first = await create(one, at(two));
    expect(first.status).toBe(201);
    expect((await create(two, at(one))).outcome).toBe('400 VALIDATION_FAILED');
    const second = await create(two, elsewhere);
    expect(second.status).toBe(201);
    expect(await visit(one, new URL(api.server.url).host)).toBe(at(two));
    await api.call('deleteUrl', { params: { id: first.data.id } });
    expect((await aim(second.data.id, at(first.data.shortCode))).outcome).toBe(
      '400 VALIDATION_FAILED',
    );
  });

  it('is the only item of a bulk request that fails', async () => {
    const [one, two, three] = [newSlug(), newSlug(), newSlug()];
    const { data } = await api.call('bulkCreateUrls', {
      body: {
        urls: [
          { customSlug: one, targetUrl: at(two) },
          { customSlug: two, targetUrl: at(three) },
          { customSlug: three, targetUrl: at(one) },
        ],
      },
    });
    expect(data.created.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    expect(data.errors).toMatchObject([{ index: 2, code: 'CREATE_FAILED' }]);
    expect(data.errors[0]?.error).toContain(`targetUrl "${at(one)}" must not lead back`);
    expect((await create(three, elsewhere)).status).toBe(201);
  });

  it('is refused on custom domains, and when the link moves to one', async () => {
    const domainId = await addDomain('loops.example');
    const slug = newSlug();
    const there = `https://LOOPS.example.:8443/${slug}`;
    const body = { customSlug: slug, domainId };
    expect((await api.call('createUrl', { body: { ...body, targetUrl: there } })).outcome).toBe(
      '400 VALIDATION_FAILED',
    );
    // The same slug on the platform is another link.
    const here = await create(slug, there);
    expect(here.status).toBe(201);
    const moved = { params: { id: here.data.id }, body: { domainId } };
    expect((await api.call('updateUrl', moved)).outcome).toBe('400 VALIDATION_FAILED');
    const back = await api.call('createUrl', { body: { ...body, targetUrl: at(slug) } });
    expect(back.outcome).toBe('400 VALIDATION_FAILED');
  });

  it.each<[string, (slug: string) => string]>([
    ['as Unicode', (slug) => `https://schleife-ü.example/${slug}`],
    ['as punycode', (slug) => `https://xn--schleife--y9a.example/${slug}`],
    ['in capitals', (slug) => `https://SCHLEIFE-Ü.example./${slug}`],
    ['as Unicode that is decomposed', (slug) => `https://schleife-u\u0308.example/${slug}`],
    ['with the host encoded', (slug) => `https://schleife-%C3%BC.example/${slug}`],
    ['with full-width dots', (slug) => `https://schleife-ü。example/${slug}`],
    ['by http, another port and two slashes', (slug) => `http://schleife-ü.example:81//${slug}/`],
  ])('is refused on a custom domain with a Unicode name %s', async (_name, target) => {
    idnDomainId ??= addDomain('schleife-ü.example');
    const customSlug = newSlug();
    const body = { customSlug, domainId: await idnDomainId, targetUrl: target(customSlug) };
    expect((await api.call('createUrl', { body })).invalidFields).toEqual(['targetUrl']);
  });

  it('is refused with a user name before the host', async () => {
    const slug = newSlug();
    const refused = await create(slug, `http://me:secret@localhost:${port}/${slug}`);
    expect(refused.invalidFields).toEqual(['targetUrl']);
    const elsewhere = await create(newSlug(), 'http://me@other.example/any-slug');
    expect(elsewhere.status).toBe(201);
  });

  it('is refused when the loop includes a deleted domain', async () => {
    const [one, two] = [newSlug(), newSlug()];
    const hostnames = ['deleted-one.example', 'deleted-two.example'] as const;
    const [first, second] = [await addDomain(hostnames[0]), await addDomain(hostnames[1])];
    const make = async (customSlug: string, domainId: string) => {
      const body = { customSlug, domainId, targetUrl: elsewhere };
      const { id } = (await api.call('createUrl', { body })).data;
      // The link moves away, but its slug on the domain still leads to it.
      await api.call('updateUrl', { params: { id }, body: { domainId: null } });
      expect((await api.call('deleteDomain', { params: { id: domainId } })).status).toBe(200);
      return id;
    };
    const [idOne, idTwo] = [await make(one, first), await make(two, second)];
    expect(await visit(one, hostnames[0])).toBe(elsewhere);
    expect((await aim(idOne, `https://${hostnames[0]}/${one}`)).outcome).toBe(
      '400 VALIDATION_FAILED',
    );
    expect((await aim(idOne, `https://${hostnames[1]}/${two}`)).status).toBe(200);
    expect((await aim(idTwo, `https://${hostnames[0]}/${one}`)).outcome).toBe(
      '400 VALIDATION_FAILED',
    );
  });

  it('cannot be activated', async () => {
    const hostname = 'not-yet.example';
    const [one, two] = [newSlug(), newSlug()];
    const { data } = await create(one, `https://${hostname}/${two}`);
    await api.call('deleteUrl', { params: { id: data.id } });
    const domainId = await addDomain(hostname);
    const second = await api.call('createUrl', {
      body: { customSlug: two, domainId, targetUrl: elsewhere },
    });
    await api.server.database.writeDirectly(async (transaction) => {
      await transaction
        .updateTable('urls')
        .set({ target_url: at(one) })
        .where('id', '=', Number(second.data.id))
        .execute();
    });
    const activated = await api.call('updateUrl', {
      params: { id: data.id },
      body: { isActive: true },
    });
    expect(activated.outcome).toBe('400 VALIDATION_FAILED');
    expect(activated.invalidFields).toEqual(['targetUrl']);
  });

  it('is refused when a chain has more than ten links', async () => {
    let target = elsewhere;
    for (let links = 0; links <= 10; links += 1) {
      const slug = newSlug();
      expect((await create(slug, target)).status).toBe(201);
      target = at(slug);
    }
    expect((await create(newSlug(), target)).outcome).toBe('400 VALIDATION_FAILED');
  });

  it('responds with 410 on a host that is not one of the server’s known hosts', async () => {
    const [one, two, three] = [newSlug(), newSlug(), newSlug()];
    const alias = (slug: string) => `http://alias.example/${slug}`;
    for (const [slug, target] of [
      [one, alias(two)],
      [two, alias(one)],
      [three, alias(three)],
    ] as const) {
      expect((await create(slug, target)).status).toBe(201);
    }
    expect(await visit(three, 'Alias.example:80')).toBe(410);
    expect(await visit(one, 'alias.example')).toBe(410);
    expect(await visit(one, 'other.example')).toBe(alias(two));
    const chain = newSlug();
    await create(
      chain,
      alias(
        await (async () => {
          const end = newSlug();
          await create(end, elsewhere);
          return end;
        })(),
      ),
    );
    expect(await visit(chain, 'alias.example')).toMatch(/^http:\/\/alias\.example\//);
  });
});

it('a loop over a known and an unknown host responds with 410 at the unknown host', async () => {
  const [one, two, three] = [newSlug(), newSlug(), newSlug()];
  const domainId = await addDomain('known.example');
  const known = `https://known.example/${three}`;
  expect((await create(one, `http://alias.example/${two}`)).status).toBe(201);
  expect((await create(two, known)).status).toBe(201);
  const body = { customSlug: three, domainId, targetUrl: at(one) };
  expect((await api.call('createUrl', { body })).status).toBe(201);
  // Only a visit shows that the alias leads to this server.
  expect(await visit(three, 'known.example')).toBe(at(one));
  expect(await visit(one, new URL(api.server.url).host)).toBe(`http://alias.example/${two}`);
  expect(await visit(two, 'alias.example')).toBe(410);
});

it('a link that is visited at an unknown host redirects to other sites', async () => {
  const [one, two] = [newSlug(), newSlug()];
  await create(one, `https://other-site.example/${two}`);
  // This server has a link with the same slug, which is irrelevant for the other site.
  await create(two, `http://alias.example/${one}`);
  expect(await visit(one, 'alias.example')).toBe(`https://other-site.example/${two}`);
});

it('no sequence of creates and changes creates a loop', async () => {
  const size = 6;
  const step = fc.record({
    link: fc.nat(size - 1),
    // The number after the last link stands for a target on another site.
    to: fc.nat(size),
    by: fc.constantFrom('slug', 'code', 'bulk'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const slugs = Array.from({ length: size }, newSlug);
      const links = new Map<number, { id: string; shortCode: string }>();
      const targets = new Map<string, string>();
      for (const { link, to, by } of steps) {
        const slug = slugs[link] as string;
        const next = slugs[to];
        const code = by === 'code' ? links.get(to)?.shortCode : undefined;
        const targetUrl = next === undefined ? elsewhere : at(code ?? next);
        const known = links.get(link);
        if (known && by === 'bulk') {
          await api.call('bulkUpdateUrls', { body: { updates: [{ id: known.id, targetUrl }] } });
        } else if (known) await aim(known.id, targetUrl);
        else {
          const created = await create(slug, targetUrl);
          if (created.status === 201) links.set(link, created.data);
        }
      }
      for (const [link, { id, shortCode }] of links) {
        const { data } = await api.call('getUrl', { params: { id } });
        targets.set(at(slugs[link] as string), data.targetUrl).set(at(shortCode), data.targetUrl);
      }
      for (const start of targets.keys()) {
        let hops = 0;
        for (let url = targets.get(start); url && hops <= size; url = targets.get(url)) hops += 1;
        expect(hops).toBeLessThanOrEqual(size);
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);
