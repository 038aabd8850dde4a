import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shorty } from '@shorty/sdk';
import type { Command } from 'commander';

/** A command line, and the exit code that it ends with. */
export interface CommandLine {
  /** The words of the command, such as `urls list`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly exitCode: number;
}

/** Commands that a test of the output cannot run: they wait for a user, or for another program. */
export const waitingCommands = [
  'analytics tail',
  'browse',
  'login',
  'mcp',
  'open',
  'webhooks listen',
  'webhooks verify',
];

/** Returns every command that is no group. */
export function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

const title = '東京の春のセール 🎈👩‍👩‍👧 und eine lange Überschrift für eine einzige Zeile';
const targetUrl = `https://example.com/${'long-path/'.repeat(12)}?q=${'x'.repeat(60)}`;

/**
 * Creates records with long and wide texts, and files in `folder`. Returns a line of each command in
 * its human format, and lines that fail.
 */
export async function everyCommand(
  client: Shorty,
  operator: Shorty,
  folder: string,
): Promise<CommandLine[]> {
  const stamp = folder.replaceAll(/\W/g, '').slice(-12).toLowerCase();
  const slug = (name: string) => `${name}-${stamp}`;
  const create = (name: string) =>
    client.urls.create({
      ...{ targetUrl, title, customSlug: slug(name), category: 'campaigns of the year' },
      tags: [
        `spring ${stamp}`,
        'summer of 2031',
        '日本語のタグ',
        'newsletter',
        'a-rather-long-tag',
      ],
      customUtmParams: { ref: 'newsletter', channel: 'email', audience: 'customers' },
      description: 'A note of several words that explains why somebody made this link. '.repeat(4),
    });
  const link = await create('spring-sale-of-the-year');
  const gone = [await create('gone-1'), await create('gone-2')];
  // Nothing listens there, and other servers refuse the address.
  const code = await client.qr.create({ urlId: Number(link.id) });
  const oldCode = await client.qr.create({ data: 'WIFI:T:WPA;S:Guests;P:open sesame;;' });
  const url = `https://receiver.example/${'path/'.repeat(10)}`;
  const hook = await client.webhooks.create({ url, events: ['url.created', 'qr.created'] });
  const oldHook = await client.webhooks.create({ url, events: ['*'] });
  const domain = await client.domains.create({ hostname: `go.${stamp}.example.com` });
  const oldDomain = await client.domains.create({ hostname: `old.${stamp}.example.com` });
  const key = await client.apiKeys.create({ name: 'a key with a name of several words' });
  const ownKey = await client.apiKeys.create({ name: 'a key that the operator revokes' });
  const { organization: own } = await client.me();
  const organization = await operator.request('POST', '/api/v1/admin/organizations', {
    body: { name: `An organization with a long name, 東京支社 ${stamp}`, plan: 'scale' },
  });
  const doomed = await operator.request('POST', '/api/v1/admin/organizations', {
    body: { name: 'An organization that is deleted', plan: 'free' },
  });
  const taken = await create('taken-down');
  await operator.request('POST', '/api/v1/admin/takedowns', {
    body: {
      shortUrl: taken.shortUrl,
      reason: 'Phishing, reported by several visitors of the page',
    },
  });
  await client.webhooks.test(hook.id, { type: 'url.created' });
  const delivery = (await client.webhooks.deliveries(hook.id)).items[0]?.id ?? '';
  await mkdir(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const file = (name: string, text: string) => writeFile(path(name), text);
  await file(
    'links.csv',
    `url,slug,title\nhttps://example.com/1,${slug('csv')},${title}\nnot a url,,\nhttps://example.com/2,${link.customSlug},x\n`,
  );
  await file('changes.csv', `id,title\n${link.id},${title}\n999999999,x\n`);
  await file('rules.json', '[{"when":{"device":"mobile"},"targetUrl":"https://example.com/m"}]');
  await file('ids.txt', `${gone[1]?.id}\n999999999\n`);
  await file(
    'bitly.csv',
    `Short URL,Long URL,Title\nhttps://bit.ly/${slug('bitly')},https://example.com/3,${title}\nhttps://bit.ly/${link.customSlug},https://example.com/4,x\nhttps://bit.ly/a_b,https://example.com/5,x\n`,
  );
  const lines: CommandLine[] = [];
  const add = (command: string, args: readonly string[] = [], exitCode = 0) =>
    lines.push({ command, args: [...command.split(' '), ...args], exitCode });
  add('whoami');
  add('organization get');
  add('organization update', ['--exclude-address', '203.0.113.0/24']);
  add('analytics visits', ['--out', path('visits.ndjson')]);
  add('usage');
  for (const name of ['set', 'get', 'list', 'unset', 'path']) {
    const value = { get: ['profile'], set: ['profile', 'default'], unset: ['profile'] }[name];
    add(`config ${name}`, value);
  }
  add('urls list');
  add('urls list', ['--fields', 'id,tags,customUtmParams,createdAt,title']);
  add('urls get', [link.id]);
  add('urls get', ['no-such-link'], 1);
  add('urls create', [targetUrl, '--title', title]);
  add('urls create', ['ftp://example.com'], 1);
  add('urls create', ['https://example.com', '--redirect-type', '999'], 1);
  add('urls upsert', [`order-${stamp}`, targetUrl, '--title', title]);
  add('urls rules set', [link.id, path('rules.json')]);
  add('urls rules show', [link.id]);
  add('urls rules test', [link.id, '--device', 'mobile']);
  add('urls update', [link.id, '--title', title]);
  add('urls delete', [gone[0]?.id ?? '', '999999999', '--yes'], 3);
  add('urls bulk-create', [path('links.csv'), '--dry-run'], 3);
  add('urls bulk-create', [path('links.csv'), '--failed-out', path('bad.csv')], 3);
  add('urls bulk-update', [path('changes.csv'), '--dry-run']);
  add('urls bulk-update', [path('changes.csv')], 3);
  add('urls bulk-delete', [path('ids.txt'), '--yes'], 3);
  add('urls export', ['--out', path('export.csv')]);
  add('urls clicks', [link.id]);
  add('urls restore', [gone[0]?.id ?? '']);
  add('urls erase-visits', [gone[0]?.id ?? '', '--yes']);
  add('urls delete', [gone[0]?.id ?? '', '999999999', '--erase', '--yes'], 3);
  add('tags list');
  add('tags rename', [`spring ${stamp}`, `autumn ${stamp}`]);
  add('tags delete', [`autumn ${stamp}`, '--yes']);
  add('qr list');
  add('qr get', [code.id]);
  add('qr create', ['--url-id', link.id]);
  add('qr update', [code.id, '--size', '300']);
  add('qr delete', [oldCode.id, '--yes']);
  add('qr export', ['--url-id', link.id, '--out', path('codes')]);
  add('qr scans', [code.id]);
  add('webhooks list');
  add('webhooks event-types');
  add('webhooks event-types', ['url.click_threshold']);
  add('webhooks get', [hook.id]);
  add('webhooks create', [url, '--event', 'url.created', '--event', 'url.click_threshold']);
  add('webhooks update', [hook.id, '--event', 'url.created']);
  add('webhooks delete', [oldHook.id, '--yes']);
  add('webhooks test', [hook.id]);
  add('webhooks deliveries', [hook.id]);
  add('webhooks deliveries', [hook.id, delivery]);
  add('webhooks replay', [hook.id, delivery]);
  add('webhooks stats', [hook.id]);
  add('webhooks trigger', ['url.created', '--forward-to', 'http://127.0.0.1:9'], 1);
  add('webhooks recover', [hook.id, '--since', '1h']);
  add('webhooks rotate-secret', [hook.id]);
  add('domains list');
  add('domains get', [domain.id]);
  add('domains create', [`third.${stamp}.example.com`]);
  add('domains update', [domain.id, '--ignore-case']);
  add('domains verify', [domain.id], 1);
  add('domains delete', [oldDomain.id, '--yes']);
  add('analytics overview');
  add('analytics report', [link.id]);
  add('keys list');
  add('keys create', ['another key', '--scopes', 'urls:read']);
  add('keys revoke', [key.id, '--yes']);
  for (const name of ['bitly', 'dub', 'kutt', 'yourls', 'shlink', 'shortio', 'tinyurl']) {
    if (name === 'bitly') add('import bitly', [path('bitly.csv'), '--dry-run'], 3);
    else add(`import ${name}`, [path('missing.csv')], 2);
  }
  add('api', ['GET', 'urls/999999999'], 1);
  add('admin login');
  add('admin orgs list');
  add('admin orgs create', [`Another organization ${stamp}`, '--plan', 'free']);
  add('admin orgs get', [organization.id]);
  add('admin orgs get', ['no-such-organization'], 1);
  add('admin orgs update', [organization.id, '--plan', 'developer']);
  add('admin orgs update', [organization.id], 2);
  add('admin orgs suspend', [organization.id]);
  add('admin orgs resume', [organization.id]);
  add('admin orgs delete', [organization.id, '--confirm', 'another name'], 1);
  add('admin orgs delete', [doomed.id, '--confirm', doomed.id]);
  add('admin clients list', [own.id]);
  add('admin clients create', [organization.id, '--name', 'a client with a long name']);
  add('admin clients update', [organization.id, organization.clientId, '--name', 'renamed']);
  add('admin clients revoke', [organization.id, organization.clientId]);
  add('admin keys list', [own.id]);
  add('admin keys update', [own.id, ownKey.id, '--expires-at', '2099-01-01']);
  add('admin keys revoke', [own.id, ownKey.id]);
  add('admin takedown list');
  add('admin takedown create', [link.shortUrl, '--reason', 'a reason of several words']);
  add('admin takedown undo', [link.id]);
  add('admin hosts block', [`phishing.${stamp}.example`, '--reason', 'a reason of several words']);
  add('admin hosts list');
  add('admin hosts unblock', [`phishing.${stamp}.example`]);
  add('admin usage');
  add('admin audit');
  add('completion', ['tcsh'], 2);
  add('logout');
  return lines;
}
