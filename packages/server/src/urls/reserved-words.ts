import type { Route } from '../contract/define-route.js';

// Paths that browsers, crawlers and people expect on a web server, beside those of our routes.
const wellKnownWords = [
  '.well-known',
  'admin',
  'assets',
  'auth',
  'dashboard',
  'favicon',
  'favicon.ico',
  'login',
  'logout',
  'oauth',
  'openapi',
  'password',
  'register',
  'robots',
  'robots.txt',
  'security.txt',
  'settings',
  'signin',
  'signup',
  'sitemap',
  'sitemap.xml',
  'static',
  'status',
  'webhooks',
  'well-known',
  'www',
];

/** Returns the words that cannot be slugs, in lower case: well-known words and first segments of routes. */
export function reservedWords(
  routes: readonly Route[],
  more: readonly string[] = [],
): ReadonlySet<string> {
  const firstSegments = routes
    .map((route) => route.path.split('/')[1] ?? '')
    .filter((segment) => !segment.startsWith('{'));
  return new Set([...wellKnownWords, ...more, ...firstSegments].map((word) => word.toLowerCase()));
}
