import type { z } from 'zod';
import { ApiError } from '../../contract/api-error.js';
import type { Clock } from '../../ports.js';
import { questionOf } from './click-question.js';
import type { ClicksQuestion } from './click-reader.js';
import type { ClickReports } from './click-reports.js';
import type { clicksQuery } from './clicks-contract.js';
import type { ScanRepository } from './scan-repository.js';
import { type ScanReport, ScanTally } from './scan-tally.js';

export interface ScanServiceOptions {
  readonly scans: ScanRepository;
  readonly reports: Pick<ClickReports, 'readScans'>;
  readonly clock: Clock;
}

/** Reports on scans, for whom the codes belong to. */
export class ScanService {
  readonly #options: ScanServiceOptions;

  constructor(options: ScanServiceOptions) {
    this.#options = options;
  }

  /** The scans of a code, a deleted one too. */
  async qrScans(
    organizationId: string,
    qrId: string,
    query: z.output<typeof clicksQuery>,
  ): Promise<{ urlId: number | null; question: ClicksQuestion; report: ScanReport }> {
    const { scans, reports, clock } = this.#options;
    const question = questionOf(query, clock());
    const found = await scans.findCode(organizationId, qrId);
    if (!found) {
      throw new ApiError('NOT_FOUND', 'There is no such QR code in this organization');
    }
    const { url, span } = found;
    // A standalone code leads past us: nobody can tell how often it was read.
    const report = url
      ? await reports.readScans(organizationId, url, span, question)
      : new ScanTally(question, span, false).finish(question.limit);
    return { urlId: url?.urlId ?? null, question, report };
  }
}
