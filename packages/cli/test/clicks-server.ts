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
  stop(): Promise<void>;
}

export async function startClicksServer(): Promise<ClicksServer> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    fixture.requests.push(decodeURIComponent(`${pathname}${search}`));
    const data =
      pathname === '/api/v1/analytics/overview'
        ? fixture.overview
        : pathname === '/api/v1/urls/42/clicks'
          ? fixture.clicks
          : undefined;
    response.setHeader('content-type', 'application/json');
    response.statusCode = data ? 200 : 404;
    const error = { code: 'NOT_FOUND', message: 'link not found' };
    response.end(JSON.stringify(data ? { success: true, data } : { success: false, error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fixture: ClicksServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    clicks: urlClicks(),
    overview: analyticsOverview(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}
