import { FairQueue } from '../../fair-queue.js';
import { QrDesignError } from '../drawing/qr-design.js';
import { LogoError, type LogoRaster } from './logo-limits.js';
import { type RunLogoProcessOptions, runLogoProcess } from './run-logo-process.js';

/** Decodes each logo in its own process. A fair queue orders the logos of organizations. */
export function createLogoDecoder(process: Omit<RunLogoProcessOptions, 'signal'> = {}) {
  const queue = new FairQueue({
    name: 'logos',
    concurrency: 2,
    // An organization whose logos use their whole time limit leaves one process to the others.
    maxRunningPerOrganization: 1,
    maxWaiting: 64,
    maxWaitingPerOrganization: 16,
  });
  const stopped = new AbortController();

  return {
    queue,

    async decode(organizationId: string, image: Uint8Array): Promise<LogoRaster> {
      try {
        return await queue.run(organizationId, () =>
          runLogoProcess(image, { ...process, signal: stopped.signal }),
        );
      } catch (error) {
        if (!(error instanceof LogoError)) throw error;
        throw new QrDesignError('logoUrl', `leads to ${error.message}`);
      }
    },

    /** Kills the processes and rejects queued logos. */
    stop(): void {
      queue.close();
      stopped.abort(new Error('logos: the server is stopping'));
    },
  };
}
