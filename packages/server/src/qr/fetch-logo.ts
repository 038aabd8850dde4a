import { FairQueue } from '../fair-queue.js';
import { GuardedFetchError } from '../network/guarded-connector.js';
import type { GuardedFetch } from '../network/guarded-fetch.js';
import { QrDesignError } from './drawing/qr-design.js';

const limits = { timeoutMs: 5_000, maxResponseBytes: 1024 * 1024, followRedirects: 3 };

/** Fetches logos through the guarded fetch, limited in time, size and number. */
export function createLogoFetcher(guardedFetch: Pick<GuardedFetch, 'request'>) {
  const queue = new FairQueue({
    name: 'logo downloads',
    concurrency: 16,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 64,
  });

  async function download(url: string): Promise<Uint8Array> {
    const headers = { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' };
    const { status, body, isCut } = await guardedFetch
      .request(url, { method: 'GET', headers, ...limits })
      .catch((error: unknown) => {
        if (!(error instanceof GuardedFetchError)) throw error;
        throw failure(error.message.slice(0, 1).toLowerCase() + error.message.slice(1));
      });
    if (isCut) throw failure('the response is larger than 1 MB');
    if (status !== 200) throw failure(`the server answered with ${status} instead of 200`);
    if (body.length === 0) throw failure('the response is empty');
    return body;
  }

  return {
    queue,
    /** Downloads the logo at an address. Throws a QrDesignError or a QueueFullError. */
    fetch: (organizationId: string, url: string) => queue.run(organizationId, () => download(url)),
  };
}

function failure(reason: string): QrDesignError {
  return new QrDesignError('logoUrl', `could not be fetched: ${reason}`);
}
