import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { command, newFolder, newSettings, serve, stop } from './server-process.js';

beforeAll(build, 120_000);

it.each(['the public port', 'a port of its own', 'a unix socket'])(
  'shorty-server health sends its request to the configured address: %s',
  async (where) => {
    const socket = join(newFolder(), 'admin.sock');
    const listen = { 'a port of its own': '127.0.0.1:0', 'a unix socket': socket }[where];
    const settings = {
      ...newSettings(),
      ...(listen !== undefined && { SHORTY_ADMIN_LISTEN: listen }),
    };
    const server = await serve(settings);
    const [, adminUrl] = await server
      .until(/"msg":"listening"/)
      .then(() => /"adminUrl":"([^"]+)"/.exec(server.output()) ?? []);
    const withAdmin = {
      ...settings,
      PORT: new URL(server.origin).port,
      ...(where === 'a port of its own' && {
        SHORTY_ADMIN_LISTEN: `127.0.0.1:${new URL(adminUrl as string).port}`,
      }),
    };
    expect(await command(withAdmin, 'health')).toEqual({ code: 0, stdout: 'ready\n', stderr: '' });
    // With an operator listener, the public port does not serve health.
    const atPublic = await command({ ...withAdmin, SHORTY_ADMIN_LISTEN: '' }, 'health');
    expect(atPublic.code).toBe(where === 'the public port' ? 0 : 1);
    await stop(server);
    const { code, stdout, stderr } = await command(withAdmin, 'health');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^shorty-server: no server responds \(connect (ECONNREFUSED|ENOENT) .*\): start it, .*\n$/,
    );
  },
);
