// Redirects of links with five rules, against links without rules on the same server.

import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, report } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;
const options = { connections: 64, seconds: 3 };
const target = 'https://example.com/landing';

// Most visitors match none of the first rules, so the server reads the list to its end. The variants at
// the end divide these visitors.
const rules = [
  { name: 'german', when: { language: 'de', country: ['DE', 'AT', 'CH'] }, targetUrl: target },
  { name: 'iphone', when: { os: 'iOS', device: 'mobile' }, targetUrl: `${target}/app` },
  { name: 'mail', when: { query: { ref: 'mail' } }, targetUrl: `${target}/mail` },
  { name: 'news', when: { referrer: 'news.example.com' }, targetUrl: `${target}/news` },
  {
    name: 'pages',
    when: {},
    variants: [
      { targetUrl: `${target}/a`, weight: 50 },
      { targetUrl: `${target}/b`, weight: 50 },
    ],
  },
];

export async function benchRedirectsRules() {
  requireWrk();
  const shorty = await serveShorty();
  const slugsOf = (prefix) =>
    Array.from({ length: links }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`);
  const plain = slugsOf('plain');
  const ruled = slugsOf('ruled');
  await createLinks(shorty, links, (index) => plain[index]);
  await createLinks(shorty, links, (index) => ruled[index], { rules });
  const measure = (slugs) => {
    const script = pathsScript(slugs.map((slug) => `/${slug}`));
    return async () => (await load(shorty.origin, script, options)).perSecond;
  };
  const ceiling = measure(plain);
  const ours = measure(ruled);
  // Compiles the code and fills the cache.
  for (const warmUp of [ceiling, ours, ceiling, ours]) await warmUp();
  const result = await compare({ ceiling, ours, runs: 11 });
  report('redirects with 5 rules', result, 0.95, 'a second');
  await shorty.stop();
}
