import { expect } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import type { ServerOptions } from '../../src/server-options.js';
import { startServer } from '../api/start-server.js';
import { poll } from '../poll.js';

export const agents = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
  wechat:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.40(0x18002831) NetType/WIFI',
  bot: 'Googlebot/2.1 (+http://www.google.com/bot.html)',
} as const;

export interface Visitor {
  readonly agent?: keyof typeof agents;
  readonly address?: string;
  readonly referer?: string;
  /** The `Accept-Language`. */
  readonly language?: string;
}

/** Starts a server that trusts the visitors' `X-Forwarded-For`, and counts the visits made. */
export async function startVisitedServer(options: ServerOptions = {}) {
  const api = await startServer({
    trustedProxies: parseAddressRanges('127.0.0.1'),
    ...options,
  });
  return {
    ...api,

    /** Returns a caller whose token is fresh, however far the clock has advanced. */
    freshCaller: () => api.signIn(api.credentials),

    async visitAs(
      key: string,
      { agent = 'firefox', address = '192.0.2.1', referer, language }: Visitor = {},
    ): Promise<void> {
      const response = await api.visit(`/${key}`, {
        headers: {
          'user-agent': agents[agent],
          'x-forwarded-for': address,
          ...(referer && { referer }),
          ...(language && { 'accept-language': language }),
        },
      });
      expect(response.status).toBe(307);
    },

    /** Waits until every line of the journal is in storage. */
    async settle(): Promise<void> {
      await poll(
        'an ingested journal',
        async () => (await fetch(`${api.server.url}/metrics`)).text(),
        (metrics) => /^shorty_journal_waiting 0$/m.test(metrics),
      );
    },
  };
}

export type VisitedServer = Awaited<ReturnType<typeof startVisitedServer>>;
