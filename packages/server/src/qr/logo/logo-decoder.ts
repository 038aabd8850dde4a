import { FairQueue } from '../../fair-queue.js';
import { QrDesignError } from '../drawing/qr-design.js';
import { checkLogoFile } from './check-logo-file.js';
import { LogoError } from './logo-error.js';
import type { LogoRaster } from './logo-limits.js';
import { type RunLogoProcessOptions, runLogoProcess } from './run-logo-process.js';

/** Decodes each logo in its own process. A fair queue orders the logos of organizations. */
export class LogoDecoder {
  readonly queue = new FairQueue({
    name: 'logos',
    concurrency: 2,
    // An organization whose logos use their whole time limit leaves one process to the others.
    maxRunningPerOrganization: 1,
    maxWaiting: 64,
    maxWaitingPerOrganization: 16,
  });
  readonly #process: RunLogoProcessOptions;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<LogoRaster>>();

  constructor(process: Omit<RunLogoProcessOptions, 'signal'> = {}) {
    this.#process = { ...process, signal: this.#stopped.signal };
  }

  /** Decodes an image. Throws a QrDesignError when the image is not allowed as a logo. */
  async decode(organizationId: string, image: Uint8Array): Promise<LogoRaster> {
    try {
      checkLogoFile(image);
      return await this.queue.run(organizationId, () => this.#run(image));
    } catch (error) {
      if (!(error instanceof LogoError)) throw error;
      throw new QrDesignError('logoUrl', `leads to ${error.message}`);
    }
  }

  /** Kills the processes and rejects queued logos. Resolves when every process has ended. */
  async stop(): Promise<void> {
    this.queue.close();
    this.#stopped.abort(new Error('logos: the server is stopping'));
    await Promise.allSettled(this.#running);
  }

  async #run(image: Uint8Array): Promise<LogoRaster> {
    const run = runLogoProcess(image, this.#process);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }
}
