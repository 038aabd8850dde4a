import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { main } from '../src/main.js';
import { allowedTools } from '../src/mcp/serve-mcp.js';
import { accessOf, scopesOf } from '../src/mcp/tools.js';
import { recordsOf } from './built-shorty.js';
import { fakeIo } from './fake-io.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();

type Assistant = Awaited<ReturnType<typeof connect>>;

/** Connects the client of the MCP SDK to `shorty mcp` in this process. */
async function connect(
  flags: readonly string[] = ['--write'],
  env: Readonly<Record<string, string>> = {},
) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const io = fakeIo({ stdout, fetch, now: Date.now, env: { ...server.env, ...env } });
  io.stdin.destroy();
  const exit = main(['mcp', ...flags], { ...io, stdin });
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(async () => {
    stdin.end();
    expect(await exit).toBe(0);
  });
  await client.connect(new StdioServerTransport(stdout, stdin));
  /** Calls a tool, and returns the result and its structured content. */
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
    const data = result.structuredContent ?? {};
    // The text is for assistants that do not read structured content.
    if (!result.isError) expect(JSON.parse(textOf(result))).toEqual(data);
    return { result, data };
  };
  /** Calls a tool that must fail, and returns its message. */
  const failure = async (name: string, input?: Record<string, unknown>) => {
    const { result } = await call(name, input);
    expect(result.isError, textOf(result)).toBe(true);
    return textOf(result);
  };
  return { client, call, failure, log: () => io.text.stderr };
}

/** The environment of a connection with another token. */
function withToken(SHORTY_ACCESS_TOKEN: string) {
  return { SHORTY_ACCESS_TOKEN, SHORTY_CLIENT_ID: '', SHORTY_CLIENT_SECRET: '' };
}

function textOf({ content: [first] }: CallToolResult): string {
  return first?.type === 'text' ? first.text : '';
}

async function toolNames({ client }: Assistant): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const readTools = [
  ...['find_links', 'get_link', 'find_domains', 'find_qr_codes', 'get_qr_code'],
  ...['get_click_report', 'get_scan_report', 'get_account'],
];
const writeTools = ['create_link', 'update_link', 'delete_link', 'create_qr_code'];

describe('the list of tools', () => {
  test('has only tools that change nothing, unless the user allows writes', async () => {
    const { tools } = await (await connect([])).client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...readTools].sort());
    for (const { annotations } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    }
    const assistant = await connect(['--write']);
    expect((await toolNames(assistant)).sort()).toEqual([...readTools, ...writeTools].sort());
  });

  test('says at the start which server it is, and how the user can allow writes', async () => {
    const instructions = async (flags: string[]) => (await connect(flags)).client.getInstructions();
    expect(await instructions([])).toContain('start shorty mcp with --write');
    expect(await instructions([])).toContain(`The server is ${server.url}`);
    expect(await instructions(['--write'])).not.toContain('--write');
  });

  test('describes each tool and each input, and names what changes records', async () => {
    const { tools } = await (await connect()).client.listTools();
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
    for (const { name, title, description, inputSchema } of tools) {
      expect([name, title, description]).toEqual([name, expect.any(String), expect.any(String)]);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const [input, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(schema, `${name} ${input}`).toHaveProperty('description');
      }
    }
    const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
    const changes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
    expect(hints.get('create_link')).toMatchObject(adds);
    expect(hints.get('create_qr_code')).toMatchObject(adds);
    expect(hints.get('update_link')).toMatchObject(changes);
    expect(hints.get('delete_link')).toMatchObject(changes);
  });

  test.each([
    ['urls:read', ['find_links', 'get_link', 'get_click_report', 'get_account']],
    ['qr:read', ['find_qr_codes', 'get_qr_code', 'get_scan_report', 'get_account']],
    ['analytics:read', ['get_click_report', 'get_account']],
    ['urls:write', ['create_link', 'update_link', 'delete_link', 'get_account']],
  ])('has the tools that the scope %s allows', async (scope, expected) => {
    const assistant = await connect(['--write'], withToken(await server.token(scope)));
    expect(await toolNames(assistant)).toEqual(expected);
  });
});

test('an assistant creates a link, finds it, reports its clicks and draws its QR code', async () => {
  const { call, log } = await connect();
  const created = await call('create_link', {
    targetUrl: 'https://example.com/spring',
    customSlug: 'spring-tour',
    title: 'Spring tour',
    tags: ['tour'],
  });
  expect(created.data).toMatchObject({ customSlug: 'spring-tour' });
  const { id } = created.data;

  const found = await call('find_links', { search: 'spring', createdSince: '1h' });
  expect(found.data).toMatchObject({
    total: 1,
    items: [{ id, title: 'Spring tour', tags: ['tour'], isActive: true, clickCount: 0 }],
    nextAfter: null,
  });

  const visit = await fetch(`${server.url}/spring-tour`, {
    redirect: 'manual',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' },
  });
  expect(visit.status).toBe(307);
  const totals = async (input: object) =>
    (await call('get_click_report', { since: '1d', ...input })).data.totals;
  await expect
    .poll(() => totals({ link: 'spring-tour' }), { message: 'clicks of the link', timeout: 10_000 })
    .toMatchObject({ totalClicks: 1, uniqueClicks: 1 });
  expect(await totals({})).toMatchObject({ totalClicks: 1 });
  const zoned = await call('get_click_report', {
    link: 'spring-tour',
    since: new Date().toISOString().slice(0, 10),
    timezone: 'Asia/Kathmandu',
    utmSource: ['(none)', 'x'],
    device: ['desktop'],
  });
  expect(zoned.data).toMatchObject({
    since: expect.stringMatching(/T00:00:00\.000\+05:45$/),
    timezone: 'Asia/Kathmandu',
    totals: { totalClicks: 1 },
  });
  expect(await totals({ device: ['mobile'] })).toMatchObject({ totalClicks: 0 });
  expect(await totals({ tag: ['other'] })).toMatchObject({ totalClicks: 0 });

  const code = await call('create_qr_code', { link: 'spring-tour', size: 300 });
  expect(code.data).toMatchObject({ urlId: id, size: 300, format: 'png' });
  const stored = await server.client.qr.download(String(code.data.id));
  const image = { type: 'image', mimeType: 'image/png', data: stored.bytes };
  const withBytes = ({ content: [, second] }: CallToolResult) =>
    second?.type === 'image'
      ? { ...second, data: new Uint8Array(Buffer.from(second.data, 'base64')) }
      : second;
  expect(withBytes(code.result)).toEqual(image);
  const again = await call('get_qr_code', { id: code.data.id });
  expect(withBytes(again.result)).toEqual(image);
  const codes = await call('find_qr_codes', { link: `${server.url}/spring-tour` });
  expect(codes.data).toMatchObject({ total: 1, items: [{ id: code.data.id }] });
  const scans = await call('get_scan_report', { id: code.data.id });
  expect(scans.data).toMatchObject({ totals: { totalScans: 0 } });
  expect(log()).toBe('MCP server of default: 12 tools; reads and writes\n');
});

test('an SVG image is text', async () => {
  const { call } = await connect();
  const { result } = await call('create_qr_code', { data: 'any text', format: 'svg' });
  expect(result.content[1]).toEqual({ type: 'text', text: expect.stringContaining('<svg') });
});

test('an assistant changes, clears, pauses, deletes and resumes a link', async () => {
  const { call, failure } = await connect();
  const { data } = await call('create_link', { targetUrl: 'https://a.example', title: 'old' });
  const link = String(data.id);
  const { data: read } = await call('get_link', { link });
  const changed = await call('update_link', { link, title: 'new', ifMatch: read.etag });
  expect(changed.data).toMatchObject({ title: 'new' });
  expect(changed.data.etag).not.toBe(read.etag);
  const stale = await failure('update_link', { link, title: 'mine', ifMatch: read.etag });
  expect(stale).toMatch(
    /^PRECONDITION_FAILED: If-Match does not match: the record was changed at /,
  );

  expect((await call('update_link', { link, title: null })).data.title).toBeNull();
  expect((await call('update_link', { link, isActive: false })).data.isActive).toBe(false);
  expect((await call('update_link', { link, isActive: true })).data.isActive).toBe(true);
  expect((await call('delete_link', { link })).data.isActive).toBe(false);
});

test('an assistant finds the id of a custom domain, and reads plan, scopes and usage', async () => {
  const { id } = await server.client.domains.create({ hostname: 'go.assistant.example' });
  const { call } = await connect([]);
  const { data } = await call('find_domains', { limit: 1 });
  expect(data).toMatchObject({
    total: 1,
    items: [{ id, hostname: 'go.assistant.example', isActive: false }],
    nextAfter: null,
  });
  expect((await call('get_account')).data).toMatchObject({
    organization: { name: 'default', plan: 'enterprise' },
    scopes: expect.arrayContaining(['urls:read']),
    usage: { meters: { api_call: { used: expect.any(Number) } } },
  });
});

test('lists continue at nextAfter', async () => {
  const targets = ['https://page.example/1', 'https://page.example/2', 'https://page.example/3'];
  await server.client.urls.bulkCreate(targets.map((targetUrl) => ({ targetUrl })));
  const { call } = await connect([]);
  const search = { search: 'page.example', limit: 2, order: 'asc' };
  const first = (await call('find_links', search)).data;
  const second = (await call('find_links', { ...search, after: first.nextAfter })).data;
  const links = [first.items, second.items].flat() as { targetUrl: string }[];
  expect(links.map(({ targetUrl }) => targetUrl)).toEqual(targets);
  expect(second.nextAfter).toBeNull();
});

describe('errors', () => {
  test('name the field and the rule, and the session continues', async () => {
    const { failure, call, client } = await connect();
    expect(await failure('create_link', { targetUrl: 'ftp://a.example' })).toMatch(
      /^VALIDATION_FAILED: targetUrl is "[^"]+": it must start with http:\/\/ or https:\/\/\nrequest /,
    );
    const slug = { targetUrl: 'https://a.example', customSlug: 'taken-slug' };
    await call('create_link', slug);
    expect(await failure('create_link', slug)).toMatch(/^SLUG_CONFLICT: .*taken-slug/);
    expect(await failure('get_link', { link: 'no-such-link' })).toMatch(/^NOT_FOUND: .*\n/);
    expect(await failure('get_click_report', { since: 'monday' })).toMatch(
      /since monday: .*\n.*7d/,
    );
    expect(await failure('get_click_report', { timezone: 'Mars' })).toContain('"Mars"');
    expect(await failure('get_click_report', { country: ['Germany'] })).toContain('"Germany"');
    expect(await failure('get_click_report', { link: '1', tag: ['a'] })).toContain('tag');
    expect(await failure('create_qr_code')).toContain('data');
    expect(await failure('get_link')).toContain('link is required');
    expect(await failure('find_links', { serach: 'x' })).toContain('"serach"');
    expect(await failure('find_links', { limit: 1000 })).toContain('100');
    expect(await failure('no_such_tool')).toContain('no_such_tool');
    await expect(client.ping()).resolves.toEqual({});
  });

  test('a missing scope names the tool to call next', async () => {
    const { key } = await server.client.apiKeys.create({ name: 'k', scopes: ['analytics:read'] });
    const reader = await connect([], withToken(key));
    expect(await reader.failure('get_click_report', { link: '1' })).toMatch(
      /^INSUFFICIENT_SCOPE: .*urls:read/,
    );
    await reader.call('get_click_report');
  });

  test('texts of the server are data: characters that control a terminal are escaped', async () => {
    const { id } = await server.client.qr.create({ data: 'a\u202eb\u009bc' });
    const { call } = await connect([]);
    const { result, data } = await call('get_qr_code', { id });
    expect(data.qrData).toBe('a\u202eb\u009bc');
    expect(textOf(result)).toContain('"a\\u202eb\\u009bc"');
  });

  test('wrong credentials end the command with a message', async () => {
    const env = { SHORTY_CLIENT_SECRET: 'wrong' };
    const { stdout } = await shorty.exits(4, 'shorty login', 'mcp', { env });
    expect(stdout).toBe('');
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../docs/assistants.md', import.meta.url), 'utf8');

  test('configures assistants so that they can start the command', async () => {
    const [, block = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    const { command, args, env } = JSON.parse(block).mcpServers.shorty;
    expect([command, args, Object.keys(env)]).toEqual([
      ...['shorty', ['mcp'], ['SHORTY_BASE_URL', 'SHORTY_ACCESS_TOKEN']],
    ]);
    expect(guide).toContain('`["mcp", "--write"]`');
    const { key } = await server.client.apiKeys.create({ name: 'assistant' });
    const assistant = await connect(args.slice(1), { SHORTY_ACCESS_TOKEN: key });
    expect((await toolNames(assistant)).sort()).toEqual([...readTools].sort());
  });

  test('names every tool with its scopes', async () => {
    const rows = Array.from(guide.matchAll(/^\| (`.*) \| (.*) \| (.*)\|$/gm));
    const named = (text = '') => Array.from(text.matchAll(/`([^`]+)`/g), ([, name]) => name ?? '');
    const documented = rows.flatMap(([, tools, scopes, write = '']) =>
      named(tools).map((name) => ({
        ...{ name, scopes: named(scopes).sort(), writes: write.trim() !== '' },
      })),
    );
    const offered = allowedTools((await server.client.me()).scopes, true);
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    const actual = offered.map((tool) => ({
      ...{ name: tool.name, scopes: [...scopesOf(tool)].sort(), writes: accessOf(tool) !== 'read' },
    }));
    expect(documented.sort(byName)).toEqual(actual.sort(byName));
  });
});

test('answers every request before the end of stdin, and exits with 0', async () => {
  const request = (id: number, method: string, params: object = {}) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const clientInfo = { name: 'test', version: '1.0.0' };
  const capabilities = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const input = [
    request(1, 'initialize', capabilities),
    request(2, 'tools/list'),
    'no message\n',
    request(3, 'tools/call', { name: 'get_account', arguments: {} }),
  ].join('');
  const { code, stdout, stderr } = await shorty.run('mcp', { input });
  expect(code).toBe(0);
  expect(recordsOf(stdout)).toMatchObject([1, 2, 3].map((id) => ({ id, result: {} })));
  // Only the protocol is on stdout.
  expect(stderr).toMatch(
    /^MCP server of default: 8 tools; reads only; .*\nshorty mcp: .*JSON.*\n$/,
  );
});
