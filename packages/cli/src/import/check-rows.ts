import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { formatCount, formatNumber } from '../format.js';
import { findItemError } from './check-item.js';
import { FailureReport } from './failure-report.js';
import { maxListedErrors, type RowError } from './import-summary.js';
import { planChunks } from './plan-chunks.js';
import type { PreparedImport } from './prepare-import.js';

/** Validates each row of a file and reports the errors. Sends nothing to the server. */
export async function checkRows(prepared: PreparedImport, context: Context): Promise<ExitCode> {
  const { io, output } = context;
  const failures = new FailureReport(output, io.stderr.isTTY === true);
  const errors: RowError[] = [];
  let rows = 0;
  let bad = 0;
  for await (const chunk of planChunks(prepared.rows(), prepared.plan)) {
    io.interrupt.throwIfAborted();
    for (const { index, line, item, error: rowError } of chunk.rows) {
      rows++;
      const error = item ? findItemError(item, io.now()) : rowError;
      if (error === undefined) continue;
      bad++;
      const code = item ? 'CREATE_FAILED' : 'INVALID_ROW';
      failures.add(line, error, code);
      if (errors.length < maxListedErrors) errors.push({ line, index, error, code });
    }
  }
  failures.finish('');
  if (output.format === 'table') {
    if (!output.isQuiet) {
      await output.write(
        `${formatCount(rows, 'row')} checked: ${formatNumber(rows - bad)} valid, ${formatNumber(bad)} invalid; nothing was sent\n`,
      );
    }
  } else {
    await output.record({ dryRun: true, rows, fine: rows - bad, bad, errors });
  }
  return bad === 0 ? exitCodes.done : exitCodes.partlyDone;
}
