import type { Route } from '../contract/define-route.js';

// What visitors and crawlers expect of any web server, whether or not a route answers it today.
const expectedOfServers = [
  'admin',
  'api',
  'assets',
  'auth',
  'dashboard',
  'docs',
  'favicon',
  'favicon.ico',
  'health',
  'internal',
  'login',
  'logout',
  'metrics',
  'oauth',
  'openapi',
  'password',
  'qr',
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

/** Words that no link may take, in any case: the first segments of our routes, and the above. */
export function reservedWords(routes: readonly Route[]): ReadonlySet<string> {
  const ours = routes
    .map((route) => route.path.split('/')[1] ?? '')
    .filter((segment) => !segment.startsWith('{'));
  return new Set([...expectedOfServers, ...ours].map((word) => word.toLowerCase()));
}
