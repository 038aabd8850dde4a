import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch-folder.js';
import {
  call,
  command,
  credentials,
  newSettings,
  serve,
  serveWithToken,
  tokenOf,
} from './server-process.js';

/** Starts a server with so many links that have targets of the maximum length. */
async function filled(links: number) {
  const settings = newSettings();
  const { origin, token } = await serveWithToken(settings);
  const targetUrl = `https://example.com/${'x'.repeat(8_000)}`;
  for (let made = 0; made < links; made += 100) {
    const urls = Array(Math.min(100, links - made)).fill({ targetUrl });
    expect((await call(origin, token, '/urls/bulk', { urls })).status).toBe(201);
  }
  const [organization] = JSON.parse((await command(settings, 'orgs', 'list', '--json')).stdout);
  return { settings, organizationId: (organization as { id: string }).id };
}

// Each test starts many processes.
describe('orgs export and import', { timeout: 180_000 }, () => {
  it('move an organization beside running servers, in constant memory', async () => {
    const { settings, organizationId } = await filled(6_000);
    // 48 MB of targets, and a heap that has space for little more than the program.
    const small = { NODE_OPTIONS: '--max-old-space-size=56' };
    const file = join(scratchFolder(), 'acme.ndjson');
    const args = ['orgs', 'export', '--org', organizationId];
    const made = await command({ ...settings, ...small }, ...args, '--out', file);
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr).toContain('It contains secrets');
    expect(statSync(file).size).toBeGreaterThan(48_000_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const target = newSettings();
    const next = await serve(target);
    const taken = await command({ ...target, ...small }, 'orgs', 'import', file);
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    expect(taken.stdout).toMatch(/^Imported \S+: 6,000 links, 0 QR codes, .* 1 client\.\n$/);
    const again = join(scratchFolder(), 'again.ndjson');
    await command(target, ...args, '--out', again);
    expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
    // Last, because an API call changes the organization's usage.
    const token = await tokenOf(next.origin, credentials);
    expect((await call(next.origin, token, '/urls?limit=1')).data.total).toBe(6_000);
  });

  it('write to stdout, and refuse to overwrite or to import twice', async () => {
    const { settings, organizationId } = await filled(3);
    const args = ['orgs', 'export', '--org', organizationId];
    // The server still stores the number of API calls.
    await expect
      .poll(async () => (await command(settings, ...args)).stdout, { message: 'the meter' })
      .toContain('"usage_meters"');
    const { code, stdout, stderr } = await command(settings, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(JSON.parse(lines[0] as string)).toEqual({
      format: 'shorty-organization',
      version: 1,
      organizationId,
    });
    expect(JSON.parse(lines.at(-1) as string).end.rows).toMatchObject({ urls: 3, url_keys: 3 });

    const file = join(scratchFolder(), 'org.ndjson');
    expect((await command(settings, ...args, '--out', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(stdout);
    const refused = await command(settings, ...args, '--out', file);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('already exists; nothing is overwritten');
    const homeless = await command(settings, ...args, '--out', join(file, 'org.ndjson'));
    expect(homeless.stderr).toContain(`there is no folder ${file}: create it`);
    const twice = await command(settings, 'orgs', 'import', file);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    expect(twice.stderr).toContain('organizations.id: this database already has');
  });
});
