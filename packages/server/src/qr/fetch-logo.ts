import { FairQueue } from '../fair-queue.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import { GuardedFetchError } from '../network/guarded-fetch-error.js';
import { QrDesignError } from './drawing/qr-design.js';

const maxBytes = 1024 * 1024;
const timeoutMs = 5_000;
const maxRedirects = 3;

/** Fetches logos through the guarded fetch, limited in time, size and number. */
export class LogoFetcher {
  readonly queue = new FairQueue({
    name: 'logo downloads',
    concurrency: 16,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 64,
  });
  readonly #fetch: Pick<GuardedFetch, 'request'>;

  constructor(fetch: Pick<GuardedFetch, 'request'>) {
    this.#fetch = fetch;
  }

  /** Downloads the logo at an address. Throws a QrDesignError or a QueueFullError. */
  fetch(organizationId: string, url: string): Promise<Uint8Array> {
    return this.queue.run(organizationId, () => this.#download(url));
  }

  async #download(url: string): Promise<Uint8Array> {
    const { status, body } = await request(this.#fetch, url);
    if (status !== 200) throw failure(`the server answered with ${status} instead of 200`);
    if (body.length === 0) throw failure('the response is empty');
    return body;
  }
}

async function request(fetch: Pick<GuardedFetch, 'request'>, url: string) {
  try {
    return await fetch.request(url, {
      method: 'GET',
      headers: { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' },
      timeoutMs,
      maxResponseBytes: maxBytes,
      onOversize: 'fail',
      followRedirects: maxRedirects,
    });
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    const reason =
      error.reason === 'too_large'
        ? 'the response is larger than 1 MB'
        : error.message.slice(0, 1).toLowerCase() + error.message.slice(1);
    throw failure(reason);
  }
}

function failure(reason: string): QrDesignError {
  return new QrDesignError('logoUrl', `could not be fetched: ${reason}`);
}
