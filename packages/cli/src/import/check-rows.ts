import { findItemError, type LinkRules, planChunks, withDomainIds } from '@shorty/import';
import { formatCount, formatNumber } from '@shorty/report';
import { type ExitCode, exitCodeOf } from '../cli-error.js';
import { defined } from '../command.js';
import type { Context } from '../context.js';
import { domainFinder } from '../records.js';
import { openFailedRows } from './output-file.js';
import type { PreparedImport } from './prepare-import.js';
import type { ProgressFile } from './progress-file.js';
import { ImportedRows } from './row-report.js';

export interface CheckOptions {
  /** Set for the links of another shortener. */
  readonly links?: LinkRules | undefined;
  /** The file for the invalid rows. */
  readonly failedOut?: string | undefined;
  /** The progress of the import, if there is such a file. */
  readonly progress?: ProgressFile | undefined;
}

/** Validates each row of a file, reports the errors, and writes the invalid rows. Creates nothing. */
export async function checkRows(
  prepared: PreparedImport,
  context: Context,
  { links, failedOut, progress }: CheckOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const file = progress && openFailedRows(String(failedOut), prepared, progress, true);
  const report = new ImportedRows(output, io.stderr.isTTY === true);
  // What becomes of the links of another shortener, and how many were on each host.
  const moved = { keptCodes: 0, newCodes: 0, importedClicks: 0 };
  const hosts = new Map<string, number>();
  let rows = 0;
  let bad = 0;
  const chunks = planChunks(prepared.rows(), prepared.plan, links && { links });
  for await (const chunk of withDomainIds(chunks, domainFinder(context))) {
    io.interrupt.throwIfAborted();
    for (const row of chunk.rows) {
      const { item } = row;
      rows++;
      const error = item ? findItemError(item, io.now()) : row.error;
      if (item && error === undefined) {
        report.addLink(row);
        moved[item.importedCode === undefined ? 'newCodes' : 'keptCodes']++;
        moved.importedClicks += Number(item.importedClicks ?? 0);
        hosts.set(row.host ?? '', (hosts.get(row.host ?? '') ?? 0) + 1);
        continue;
      }
      const reason = error ?? '';
      bad++;
      report.addFailure(row, reason, item ? 'CREATE_FAILED' : 'INVALID_ROW');
      file?.add(row.raw, reason);
    }
    file?.output.flush();
  }
  file?.output.close();
  report.finish(defined({ failedOut }));
  if (output.format !== 'table') {
    const domains = [...hosts].map(([host, links]) => ({ host: host || null, links }));
    const more = links ? { ...moved, domains, ...report.record() } : {};
    await output.record({
      dryRun: true,
      rows,
      fine: rows - bad,
      bad,
      ...more,
      errors: report.errors,
    });
  } else if (!output.isQuiet) {
    const counts = `${formatNumber(rows - bad)} valid, ${formatNumber(bad)} invalid`;
    const verb = links ? 'created' : 'sent';
    const lines = [`${formatCount(rows, 'row')} checked: ${counts}; nothing was ${verb}`];
    if (links) {
      const { keptCodes, newCodes, importedClicks } = moved;
      lines.push(
        `${formatCount(keptCodes, 'code')} retained, ${formatCount(newCodes, 'new short code')}, ${formatCount(importedClicks, 'imported click')}`,
      );
      for (const [host, count] of hosts) {
        const where = host === '' ? 'without a domain in the file' : `of ${host}`;
        lines.push(`${formatCount(count, 'link')} ${where}`);
      }
      lines.push(...report.lines());
    }
    await output.message(lines.join('\n'));
  }
  return exitCodeOf(rows - bad, bad);
}
