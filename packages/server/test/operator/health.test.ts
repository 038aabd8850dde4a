import { expect, it } from 'vitest';
import { command, newSettings, serve, stop } from './server-process.js';

it.each([
  ['the public port', false],
  ['a port of its own', true],
])('shorty-server health sends its request to the configured address: %s', async (_, isOwn) => {
  const admin = (address: string) => (isOwn ? { SHORTY_ADMIN_LISTEN: address } : {});
  const settings = newSettings();
  const server = await serve({ ...settings, ...admin('127.0.0.1:0') });
  await server.until(/"msg":"listening"/);
  const [, adminUrl = ''] = /"adminUrl":"([^"]+)"/.exec(server.output()) ?? [];
  const atPublic = { ...settings, PORT: new URL(server.origin).port };
  const configured = { ...atPublic, ...admin(adminUrl.replace('http://', '')) };
  expect(await command(configured, 'health')).toEqual({ code: 0, stdout: 'ready\n', stderr: '' });
  // With an operator listener, the public port does not serve health.
  expect((await command(atPublic, 'health')).code).toBe(isOwn ? 1 : 0);
  await stop(server);
  const { code, stdout, stderr } = await command(configured, 'health');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^shorty-server: no server responds \(connect ECONNREFUSED .*\): start it, .*\n$/,
  );
});
