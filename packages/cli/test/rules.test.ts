import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();
const targetUrl = 'https://example.com/sale';
await server.client.urls.create({ targetUrl, customSlug: 'sale', utmSource: 'poster' });

const rules = [
  { name: 'german', when: { country: ['DE', 'AT'] }, targetUrl: 'https://example.com/de' },
  {
    when: {},
    variants: [
      { targetUrl: 'https://example.com/a', weight: 1 },
      { targetUrl: 'https://example.com/b', weight: 3 },
    ],
  },
];

test('rules set, show and test', async () => {
  const set = ['urls', 'rules', 'set', 'sale', '-'];
  const { code, stdout } = await shorty.run(set, { input: JSON.stringify(rules) });
  expect([code, JSON.parse(stdout)]).toEqual([0, rules]);
  const shown = await shorty.run('urls rules show sale');
  expect(JSON.parse(shown.stdout)).toEqual(rules);
  const tested = (...args: string[]) =>
    shorty.run(['urls', 'rules', 'test', 'sale', '-o', 'csv', ...args]);
  expect((await tested('--country', 'de')).stdout).toBe(
    'variant,share,location\ngerman,1,https://example.com/de?utm_source=poster\n',
  );
  const other = await tested('--device', 'mobile', '--query', 'a=b', '--at', '2030-01-01');
  expect(other.stdout).toBe(
    [
      'variant,share,location',
      '2/1,0.25,https://example.com/a?utm_source=poster',
      '2/2,0.75,https://example.com/b?utm_source=poster',
      '',
    ].join('\n'),
  );
  expect(other.stderr).toBe('rule german does not match: country\n');
});

test('errors name the path of the rule, and files that are no rules are usage errors', async () => {
  const set = ['urls', 'rules', 'set', 'sale', '-'];
  const input = JSON.stringify([{ when: { country: 'XX' }, targetUrl: 'https://example.com' }]);
  const refused = await shorty.exits(1, 'rules[0].when.country', set, { input });
  expect(refused.stderr).toContain('"XX"');
  await shorty.exits(2, 'stdin: must be a JSON list of rules', set, { input: '{}' });
});
