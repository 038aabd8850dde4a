import type { GuardedFetch } from '../network/guarded-fetch.js';
import { GuardedFetchError } from '../network/guarded-fetch-error.js';

/** Gets the bytes at a logo's address; throws a LogoFetchError. */
export type FetchLogo = (url: string) => Promise<Uint8Array>;

/** A logo could not be fetched. The message is for whoever chose its address. */
export class LogoFetchError extends Error {
  override readonly name = 'LogoFetchError';
}

const maxLogoBytes = 1024 * 1024;
const timeoutMs = 5_000;
const maxRedirects = 3;

/** Fetches logos as any address that somebody else has chosen is fetched: guarded, briefly, bounded. */
export function logoFetcher(fetch: Pick<GuardedFetch, 'request'>): FetchLogo {
  return async (url) => {
    const { status, body } = await request(fetch, url);
    if (status !== 200) throw new LogoFetchError(`could not be fetched: it answered ${status}`);
    if (body.length === 0) throw new LogoFetchError('could not be fetched: it is empty');
    return body;
  };
}

async function request(fetch: Pick<GuardedFetch, 'request'>, url: string) {
  try {
    return await fetch.request(url, {
      method: 'GET',
      headers: { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' },
      timeoutMs,
      maxResponseBytes: maxLogoBytes,
      onOversize: 'fail',
      followRedirects: maxRedirects,
    });
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    const why =
      error.reason === 'too_large'
        ? 'it is larger than 1 MB'
        : error.message.slice(0, 1).toLowerCase() + error.message.slice(1);
    throw new LogoFetchError(`could not be fetched: ${why}`, { cause: error });
  }
}
