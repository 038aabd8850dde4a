import { Shorty } from '@shorty/sdk';
import { credentials } from './processes.js';

export function connect(origin: string, options: { maxRetries?: number } = {}): Shorty {
  return new Shorty({
    ...options,
    baseUrl: origin,
    clientId: credentials.SHORTY_CLIENT_ID,
    clientSecret: credentials.SHORTY_CLIENT_SECRET,
  });
}
