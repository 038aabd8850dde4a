import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnalyticsOverview, UrlClicks } from '@shorty/sdk';
import { analyticsOverview, urlClicks } from './click-fixtures.js';

/** A server that returns fixed clicks and records its requests. */
export interface ClicksServer {
  readonly url: string;
  /** The requested paths with queries. */
  readonly requests: string[];
  clicks: UrlClicks;
  overview: AnalyticsOverview;
  /** The response for the window before; undefined for the same response. */
  before: UrlClicks | undefined;
  /** The titles of links by their id. */
  readonly titles: Map<string, string>;
  stop(): Promise<void>;
}

export async function startClicksServer(): Promise<ClicksServer> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    fixture.requests.push(decodeURIComponent(`${pathname}${search}`));
    const isBefore = search.includes('limit=1&') || search.endsWith('limit=1');
    const data = responseTo(pathname, isBefore);
    response.setHeader('content-type', 'application/json');
    response.statusCode = data ? 200 : 404;
    const error = { code: 'NOT_FOUND', message: 'link not found' };
    response.end(JSON.stringify(data ? { success: true, data } : { success: false, error }));
  });
  function responseTo(pathname: string, isBefore: boolean): object | undefined {
    if (isBefore && fixture.before) return fixture.before;
    if (pathname === '/api/v1/analytics/overview') return fixture.overview;
    if (pathname === '/api/v1/urls/42/clicks') return fixture.clicks;
    const [, id = ''] = /^\/api\/v1\/urls\/(\d+)$/.exec(pathname) ?? [];
    const title = fixture.titles.get(id);
    return title === undefined ? undefined : { id, title };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fixture: ClicksServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    clicks: urlClicks(),
    overview: analyticsOverview(),
    before: undefined,
    titles: new Map([['42', 'Spring sale']]),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}
