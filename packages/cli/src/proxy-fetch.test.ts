import { expect, it } from 'vitest';
import { findProxy } from './proxy-fetch.js';

function originFor(url: string, env: Record<string, string>): string | undefined {
  return findProxy(new URL(url), env);
}

it.each<[string, Record<string, string>, string | undefined]>([
  ['http', { http_proxy: 'a:1', HTTP_PROXY: 'b:1', all_proxy: 'c:1' }, 'http://a:1'],
  ['http', { http_proxy: '', HTTP_PROXY: 'b:1', all_proxy: 'c:1' }, 'http://b:1'],
  ['http', { https_proxy: 'a:1', HTTPS_PROXY: 'b:1' }, undefined],
  ['http', { ALL_PROXY: 'd:1', all_proxy: 'c:1' }, 'http://c:1'],
  ['https', { https_proxy: 'a:1', HTTPS_PROXY: 'b:1' }, 'http://a:1'],
  ['https', { HTTPS_PROXY: 'b:1', all_proxy: 'c:1' }, 'http://b:1'],
  ['https', { http_proxy: 'a:1', HTTP_PROXY: 'b:1' }, undefined],
  ['https', { http_proxy: 'a:1', ALL_PROXY: 'd:1' }, 'http://d:1'],
  ['https', {}, undefined],
])('selects the variable for %s of %j', (scheme, env, origin) => {
  expect(originFor(`${scheme}://links.example`, env)).toBe(origin);
});

it.each(['localhost', 'localhost.', '127.0.0.1', '127.1.2.3', '[::1]'])(
  'connects to %s of the own machine directly',
  (host) => {
    expect(originFor(`http://${host}:3000`, { http_proxy: 'proxy:1' })).toBeUndefined();
  },
);

it.each([
  // The list, the URLs that it exempts, and URLs that it does not.
  ['*', 'http://links.example http://[fd00::1]', ''],
  ['a.example, *', 'http://links.example http://10.0.0.1', ''],
  [
    'links.example',
    'http://links.example http://a.links.example:81',
    'http://xlinks.example http://example',
  ],
  ['.links.example', 'http://links.example http://a.links.example', 'http://xlinks.example'],
  ['*.links.example', 'http://a.links.example', 'http://xlinks.example'],
  ['links.example.', 'http://links.example http://links.example./ http://a.links.example', ''],
  ['Links.EXAMPLE', 'http://links.example http://LINKS.example.', ''],
  [
    ' a.example ,, links.example\tb.example ',
    'http://a.example http://links.example http://b.example',
    'http://c.example',
  ],
  [
    'links.example:8080',
    'http://links.example:8080 http://a.links.example:8080',
    'http://links.example https://links.example',
  ],
  ['links.example:80', 'http://links.example', 'https://links.example http://links.example:8080'],
  ['bücher.example', 'http://xn--bcher-kva.example http://bücher.example', ''],
  ['fd00::1', 'http://[fd00::1] http://[fd00:0:0::1]:81', 'http://[fd00::2]'],
  ['[fd00::1]', 'http://[fd00::1] http://[fd00::1]:81', 'http://[fd00::2]'],
  ['[FD00:0::1]:81', 'http://[fd00::1]:81', 'http://[fd00::1] http://[fd00::2]:81'],
  ['fd00::/8', 'http://[fd00::1] http://[fdff::1]', 'http://[fc00::1] http://10.0.0.1'],
  ['10.0.0.1', 'http://10.0.0.1', 'http://10.0.0.10 http://1.10.0.0.1.example'],
  ['10.0.0.1:81', 'http://10.0.0.1:81', 'http://10.0.0.1'],
  [
    '10.0.0.0/8,192.168.0.0/16',
    'http://10.9.9.9 http://192.168.1.1',
    'http://11.0.0.1 http://192.169.0.1',
  ],
  ['10.0.0.0/33, 10.0.0.0/x, /8, ., [, :1', '', 'http://10.0.0.0 http://links.example'],
  ['', '', 'http://links.example'],
])('NO_PROXY=%j', (list, exempt, proxied) => {
  const urls = (text: string) => text.split(' ').filter((url) => url !== '');
  for (const name of ['no_proxy', 'NO_PROXY']) {
    const env = { all_proxy: 'proxy:1', [name]: list };
    for (const url of urls(exempt)) expect([url, originFor(url, env)]).toEqual([url, undefined]);
    for (const url of urls(proxied))
      expect([url, originFor(url, env)]).toEqual([url, 'http://proxy:1']);
  }
});
