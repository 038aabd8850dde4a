import { signal } from '@preact/signals';
import { NotFoundError, Shorty } from '@shorty/sdk';
import { api } from './api.js';

/** Whether this address serves the administration API, which another listener may have. */
export const isOperatorApiServed = signal(false);

/** Finds out, without a key: the answer is 404 unless the API is served. */
export async function probeOperatorApi(): Promise<void> {
  try {
    await api.admin.organizations.list({ limit: 1 }, { maxRetries: 0 });
  } catch (error) {
    isOperatorApiServed.value = !(error instanceof NotFoundError);
  }
}

/** Returns a client that sends the operator key, and no cookie. */
export function operatorApi(apiKey: string): Shorty {
  return new Shorty({
    baseUrl: location.origin,
    apiKey,
    fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
  });
}
