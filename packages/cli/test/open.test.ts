import { chmod } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { copyText, openInBrowser } from '../src/launch.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();
await shorty.write('browser', '#!/bin/sh\nprintf "%s\\n" "$@" > opened.txt\n');
await chmod(shorty.path('browser'), 0o700);

/** Runs `shorty open`, and returns the URL that the browser got. */
async function opened(...args: string[]): Promise<string> {
  const env = { BROWSER: shorty.path('browser') };
  const { code, stderr } = await shorty.run(['open', ...args], { env });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^opened /)]);
  return (await shorty.read('opened.txt')).trimEnd();
}

test('opens a link, its target, or the API page', async () => {
  const targetUrl = 'https://example.com/?a=1&b="$(x)"';
  const { id, shortUrl } = await server.client.urls.create({
    targetUrl,
    customSlug: 'spring-sale',
  });
  expect(await opened(id)).toBe(shortUrl);
  expect(await opened('spring-sale', '--target')).toBe(new URL(targetUrl).href);
  expect(await opened()).toBe(`${server.url}/docs`);
  const printed = await shorty.run(`open ${id} --print`);
  expect(printed).toEqual({ code: 0, stdout: `${shortUrl}\n`, stderr: '' });
});

test('a slug of digits is found when no link has this id', async () => {
  const { shortUrl } = await server.client.urls.create({
    targetUrl: 'https://example.com/year',
    customSlug: '2031',
  });
  expect(await opened('2031')).toBe(shortUrl);
});

test('an unknown link, and a browser that fails, exit with 1', async () => {
  for (const link of ['sprong-sale', 'https://other.example/spring-sale']) {
    const { stdout } = await shorty.exits(1, 'There is no URL "', ['open', link, '--print']);
    expect(stdout).toBe('');
  }
  await shorty.exits(1, 'set BROWSER to', 'open', { env: { BROWSER: '/nonexistent/browser' } });
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '-flag'])(
  '%s is not opened',
  async (url) => {
    await expect(openInBrowser(url, { env: {}, platform: 'linux' })).rejects.toThrow(
      'must be an http or https URL',
    );
  },
);

test('without a clipboard program, the terminal is asked to copy the text', async () => {
  expect(await copyText('https://sho.example/ü', { env: {}, platform: 'linux' })).toBe(
    `\u001b]52;c;${Buffer.from('https://sho.example/ü').toString('base64')}\u0007`,
  );
});
