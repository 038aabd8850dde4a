import type { z } from 'zod';
import type { AbuseReason, abuseReportRecord } from './abuse-contract.js';
import type { Report, Resolution } from './abuse-repository.js';

/** A report as the API presents it. */
export type AbuseReportRecord = z.input<typeof abuseReportRecord>;

export function toReportRecord(report: Report): AbuseReportRecord {
  const { urlId, organizationId, targetUrl, resolvedAt } = report;
  return {
    id: report.id,
    shortUrl: report.shortUrl,
    reason: report.reason as AbuseReason,
    comment: report.comment,
    email: report.email,
    createdAt: new Date(report.createdAt).toISOString(),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
    resolution: report.resolution as Resolution | null,
    link:
      urlId === null
        ? null
        : {
            id: String(urlId),
            organizationId: organizationId ?? '',
            targetUrl: targetUrl ?? '',
            isActive: report.isActive === 1,
            isTakenDown: report.takedownId !== null,
          },
  };
}
