import { expect, it } from 'vitest';
import { findInHosts } from './dns-resolver.js';

const hosts = [
  '# 192.0.2.9 commented.test',
  '127.0.0.1\tlocalhost',
  '::1     localhost ip6-localhost',
  '  192.0.2.1  Hook.Test alias.test # hook2.test',
  '192.0.2.2 dotted.test.\r',
  'name name.test',
  '192.0.2.3',
  '',
].join('\n');

it.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['hook.test', ['192.0.2.1']],
  ['alias.test', ['192.0.2.1']],
  ['dotted.test', ['192.0.2.2']],
  ['hook2.test', []],
  ['commented.test', []],
  ['name.test', []],
])('findInHosts finds the addresses of %s', (hostname, addresses) => {
  expect(findInHosts(hosts, hostname)).toEqual(addresses);
});
