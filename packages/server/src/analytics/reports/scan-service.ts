import type { z } from 'zod';
import { ApiError } from '../../contract/api-error.js';
import type { Clock } from '../../ports.js';
import { questionOf } from './click-question.js';
import type { ClicksQuestion } from './click-reader.js';
import type { ClickReports } from './click-reports.js';
import type { clicksQuery } from './clicks-contract.js';
import { type ScanReport, scansOf } from './scan-report.js';
import type { ScanRepository } from './scan-repository.js';
import { VisitTally } from './visit-tally.js';

export interface ScanServiceOptions {
  readonly scans: ScanRepository;
  readonly reports: Pick<ClickReports, 'readScans'>;
  readonly clock: Clock;
}

/** Reads reports on the scans of an organization's QR codes. */
export class ScanService {
  readonly #options: ScanServiceOptions;

  constructor(options: ScanServiceOptions) {
    this.#options = options;
  }

  /** Returns the scans of a QR code, which may be deleted. */
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
    // A standalone code leads straight to its target, so its scans are unknown.
    const report = url
      ? await reports.readScans(organizationId, url, span, question)
      : new VisitTally<ScanReport>(scansOf(span, false), question).finish(question.limit);
    return { urlId: url?.urlId ?? null, question, report };
  }
}
