import { Shorty } from '@shorty/sdk';
import { expect, test } from 'vitest';
import type { CommandRow, RecordKind } from '../src/command.js';
import { commands } from '../src/command-tree.js';
import { inputName } from '../src/input.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const operatorKey = 'operator-key-of-the-tests-0123456789';
const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

interface Fixture {
  readonly id: string;
  /** What users may call the record, beside its id. */
  readonly names: readonly string[];
}

const { server, shorty } = await startSignedInShorty({ operatorKey });
await shorty.write('rules.json', '[]');
const { urls, qr, webhooks, domains, apiKeys } = server.client;
const targetUrl = 'https://example.com/';
// So that the id is no number that other texts contain.
await urls.bulkCreate(Array.from({ length: 700 }, () => ({ targetUrl })));
const link = await urls.create({ targetUrl, customSlug: 'spring-sale', tags: ['spring'] });
const { shortUrl } = link;
const names = [shortUrl, shortUrl.replace('http://', ''), 'spring-sale', link.shortCode];
const code = await qr.create({ urlId: Number(link.id) });
const description = 'The CRM';
const hook = { url: 'https://crm.example.com/hook', events: ['*' as const], description };
const key = await apiKeys.create({ name: 'deploy script' });
const { admin } = new Shorty({ baseUrl: server.url, apiKey: operatorKey });
const organization = await admin.organizations.create({ name: 'Acme Ltd', plan: 'scale' });
const client = await admin.clients.create(organization.id, {
  name: 'CI',
  scopes: ['keys:write', 'urls:read'],
});
const credentials = { clientId: client.id, clientSecret: client.clientSecret };
const acme = new Shorty({ baseUrl: server.url, ...credentials });
const acmeKey = await acme.apiKeys.create({ name: 'their script' });
const taken = await urls.create({ targetUrl });
await admin.takedowns.create({ shortUrl: taken.shortUrl, reason: 'phishing' });
const fixtures: Readonly<Record<RecordKind, Fixture>> = {
  link: { id: link.id, names },
  code: {
    id: code.id,
    names: [server.url + code.previewUrl, server.url + code.downloadUrl, 'spring-sale'],
  },
  webhook: { id: (await webhooks.create(hook)).id, names: [hook.url, description] },
  domain: {
    id: (await domains.create({ hostname: 'go.example.com' })).id,
    names: ['go.example.com', 'GO.example.com'],
  },
  key: { id: key.id, names: [key.name, key.start, key.key] },
  tag: { id: 'spring', names: ['spring'] },
  organization: { id: organization.id, names: ['Acme Ltd'] },
  client: { id: client.id, names: ['CI'] },
  organizationKey: { id: acmeKey.id, names: [acmeKey.name, acmeKey.start] },
  takedown: { id: taken.id, names: [taken.shortUrl] },
};

/** Options without which a command sends no request. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'urls update': ['--title', 'New'],
  'urls upsert': [],
  'qr update': ['--size', '300'],
  'webhooks create': ['--all-events'],
  'webhooks update': ['--description', 'New'],
  'domains update': ['--ignore-case'],
  'admin orgs update': ['--name', 'New'],
};

/** Values of arguments and options that name no record. */
const samples: Readonly<Record<string, string>> = {
  ...{ targetUrl: 'https://example.com/', url: 'https://example.com/', externalId: 'order-1' },
  ...{ file: 'rules.json', deliveryId: uuid, name: 'New', since: '1h', out: 'codes' },
  ...{ confirm: 'Acme Ltd', plan: 'free', scopes: 'urls:read' },
};

interface Parameter {
  readonly words: string;
  readonly row: CommandRow;
  readonly flags: string;
  readonly kind: RecordKind;
}

const parameters = Object.entries(commands).flatMap(([words, row]) =>
  Object.entries({ ...row.args, ...row.options }).flatMap(([flags, details]): Parameter[] => {
    const kind = typeof details === 'string' ? undefined : details.record;
    return kind ? [{ words, row, flags, kind }] : [];
  }),
);

/** Returns a command line in which a parameter names a record. */
function commandLine({ words, row, flags }: Parameter, name: string): string[] {
  const option = /--[\w-]+/.exec(flags)?.[0];
  const args = Object.entries(row.args ?? {}).flatMap(([each, details]) => {
    if (each === flags) return [name];
    if (each.startsWith('[')) return [];
    const record = typeof details === 'string' ? undefined : details.record;
    return [record ? fixtures[record].id : (samples[inputName(each)] ?? each)];
  });
  const required = Object.entries(row.options ?? {}).flatMap(([each, details]) => {
    if (typeof details === 'string' || !details.isRequired) return [];
    return [`${/--[\w-]+/.exec(each)}`, samples[inputName(each)] ?? each];
  });
  const named = option === undefined ? [] : [option, name];
  return [...words.split(' '), ...args, ...required, ...(needed[words] ?? []), ...named];
}

/** Runs a command whose changes nobody makes. Returns its requests, and the last response. */
async function exchange(args: readonly string[]): Promise<string> {
  const requests: string[] = [];
  let answer = '';
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    requests.push(decodeURIComponent(pathname + search), await request.clone().text());
    if (request.method !== 'GET' && !pathname.endsWith('/auth/token')) {
      const error = { code: 'GONE', message: 'nobody makes changes' };
      return Response.json({ success: false, error }, { status: 410 });
    }
    const response = await globalThis.fetch(request);
    answer = await response.clone().text();
    return response;
  };
  const { stderr } = await shorty.run(args, { fetch, env: { SHORTY_OPERATOR_KEY: operatorKey } });
  return [...requests, answer, stderr].join('\n');
}

// It waits for visits, and tail.test.ts names links.
const endless = 'analytics tail';

test.each(
  parameters
    .filter(({ words }) => words !== endless)
    .map((parameter) => [`${parameter.words} ${parameter.flags}`, parameter] as const),
)('shorty %s takes every name of a record', async (_, parameter) => {
  const { id, names } = fixtures[parameter.kind];
  const containsId = new RegExp(`(^|[^\\w-])${id}($|[^\\w-])`);
  for (const name of [id, ...names]) {
    expect(await exchange(commandLine(parameter, name))).toMatch(containsId);
  }
});

test('every argument and option for an id takes names, except ids of what has none', () => {
  const others = Object.entries(commands).flatMap(([words, row]) =>
    Object.entries({ ...row.args, ...row.options }).flatMap(([flags, details]) => {
      const isNamed = typeof details !== 'string' && details.record !== undefined;
      return /<(id|link|webhook|domain|client|organization)>/.test(flags) && !isNamed
        ? [`${words} ${flags}`]
        : [];
    }),
  );
  expect(others).toEqual(['urls create --external-id <id>', 'urls update --external-id <id>']);
});
