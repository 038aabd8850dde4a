import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { formatCount, formatNumber, printable } from '../format.js';
import type { Output } from '../output.js';
import { findItemError } from './check-item.js';
import { FailureReport } from './failure-report.js';
import {
  describeInvalidCodes,
  describePaused,
  describeTaken,
  isInvalidCode,
} from './import-reporter.js';
import { headerLine, refuseOverwriting } from './import-session.js';
import { maxListedErrors, type RowError } from './import-summary.js';
import type { LinkRules } from './imported-link.js';
import { codeKey, type FileCodes } from './mark-taken.js';
import { formatNotKept, NotKeptCounts } from './not-kept.js';
import { type ImportRow, planChunks } from './plan-chunks.js';
import type { PreparedImport } from './prepare-import.js';
import { ResultFile } from './result-file.js';

export interface CheckOptions {
  /** Set for the links of another shortener. */
  readonly links?: LinkRules | undefined;
  /** The codes of the file. The report removes them. */
  readonly codes?: FileCodes;
  /** The host names of the custom domains of the links, by their ids. */
  readonly hostnames?: ReadonlyMap<string, string>;
  /** The links that the plan allows; undefined if they are unknown or not limited. */
  readonly quota?: LinkQuota | undefined;
  /** The file for the invalid rows. */
  readonly failedOut?: string | undefined;
}

export interface LinkQuota {
  readonly plan: string;
  readonly used: number;
  readonly included: number;
}

/** Returns the codes of the valid rows. Memory grows with the file by them only. */
export async function readCodes(
  prepared: PreparedImport,
  links: LinkRules,
  { io }: Pick<Context, 'io'>,
): Promise<FileCodes> {
  const codes: FileCodes = new Map();
  for await (const { rows } of planChunks(prepared.rows(), prepared.plan, { links })) {
    io.interrupt.throwIfAborted();
    for (const { item } of rows) {
      if (!item || findItemError(item, links.now) !== undefined) continue;
      const { importedCode, domainId } = item;
      if (typeof importedCode === 'string') {
        codes.set(codeKey(String(domainId ?? ''), importedCode), false);
      }
    }
  }
  return codes;
}

/** Validates each row of a file, reports the errors, and writes the invalid rows. Creates nothing. */
export async function checkRows(
  prepared: PreparedImport,
  context: Context,
  options: CheckOptions = {},
): Promise<ExitCode> {
  const path = options.failedOut;
  await refuseOverwriting(prepared, undefined, path);
  const failedOut = path === undefined ? undefined : ResultFile.open(path, 0);
  try {
    failedOut?.write(headerLine(prepared));
    return await checkEach(prepared, context, options, failedOut);
  } finally {
    failedOut?.close();
  }
}

async function checkEach(
  prepared: PreparedImport,
  context: Context,
  options: CheckOptions,
  failedOut: ResultFile | undefined,
): Promise<ExitCode> {
  const { io, output } = context;
  const { links } = options;
  const failures = new FailureReport(output, io.stderr.isTTY === true);
  const notes = new FailureReport(output, io.stderr.isTTY === true);
  const errors: RowError[] = [];
  const report = new LinkReport(options);
  let rows = 0;
  let bad = 0;
  let taken = 0;
  let invalidCodes = 0;
  for await (const chunk of planChunks(prepared.rows(), prepared.plan, links && { links })) {
    io.interrupt.throwIfAborted();
    for (const row of chunk.rows) {
      const { index, line, item, error: rowError } = row;
      rows++;
      const invalid = item ? findItemError(item, io.now()) : rowError;
      const conflict = invalid === undefined && links ? report.add(row) : undefined;
      const error = invalid ?? conflict;
      if (error === undefined) {
        if (row.note !== undefined) notes.add(line, row.note, 'PAUSED');
        if (row.notKept) notes.add(line, formatNotKept(row.notKept), 'NOT_KEPT');
        continue;
      }
      bad++;
      if (conflict?.endsWith(' is taken')) taken++;
      const code = conflict ? 'SLUG_CONFLICT' : item ? 'CREATE_FAILED' : 'INVALID_ROW';
      if (isInvalidCode(error, code)) invalidCodes++;
      failures.add(line, error, code, item);
      failedOut?.write(`${row.raw}${prepared.lineEnd}`);
      if (errors.length < maxListedErrors) errors.push({ line, index, error, code });
    }
    failedOut?.flush();
  }
  failedOut?.flush();
  notes.finish('');
  failures.finish(failedOut ? ` (all are in ${options.failedOut})` : '');
  if (taken > 0) output.note(describeTaken(taken));
  const { source } = prepared.plan;
  if (invalidCodes > 0 && source) {
    output.note(describeInvalidCodes(invalidCodes, source, options.failedOut));
  }
  if (links) report.noteQuota(output);
  if (output.format === 'table') {
    if (!output.isQuiet) {
      const counts = `${formatNumber(rows - bad)} valid, ${formatNumber(bad)} invalid`;
      const lines = [
        `${formatCount(rows, 'row')} checked: ${counts}; nothing was ${links ? 'created' : 'sent'}`,
      ];
      if (links) lines.push(...report.lines());
      await output.message(lines.join('\n'));
    }
  } else {
    const more = links ? report.record() : {};
    await output.record({ dryRun: true, rows, fine: rows - bad, bad, ...more, errors });
  }
  return bad === 0 ? exitCodes.done : exitCodes.partlyDone;
}

interface Place {
  readonly links: number;
  readonly domain: string | null;
}

/** The codes and the domains of the links that an import would create. */
class LinkReport {
  readonly #options: CheckOptions;
  readonly #places = new Map<string, Place>();
  #keptCodes = 0;
  #newCodes = 0;
  readonly #notKept = new NotKeptCounts();
  #paused = 0;
  #active = 0;
  #importedClicks = 0;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Adds a valid row, or returns why its code is not free. */
  add({ item = {}, host = '', note, notKept = [] }: ImportRow): string | undefined {
    const { importedCode, importedClicks } = item;
    const domainId = String(item.domainId ?? '');
    if (typeof importedCode === 'string') {
      const key = codeKey(domainId, importedCode);
      const { codes } = this.#options;
      if (codes?.get(key)) return `importedCode "${importedCode}" is taken`;
      if (!codes?.delete(key)) return `importedCode "${importedCode}" is in the file twice`;
      this.#keptCodes++;
    } else this.#newCodes++;
    const links = (this.#places.get(host)?.links ?? 0) + 1;
    this.#places.set(host, { links, domain: this.#options.hostnames?.get(domainId) ?? null });
    if (note !== undefined) this.#paused++;
    this.#notKept.add(notKept);
    if (item.isActive !== false) this.#active++;
    this.#importedClicks += Number(importedClicks ?? 0);
    return undefined;
  }

  /** Says how far the plan's quota lets the import go, if not to its end. */
  noteQuota(output: Output): void {
    const { quota } = this.#options;
    if (!quota) return;
    const free = Math.max(0, quota.included - quota.used);
    if (this.#active <= free) return;
    output.note(
      `quota: the plan ${quota.plan} allows ${formatCount(quota.included, 'active link')}, and ${formatNumber(quota.used)} exist; the import stops after ${formatNumber(free)} of ${formatNumber(this.#active)}`,
    );
  }

  lines(): string[] {
    const codes = `${formatCount(this.#keptCodes, 'code')} kept, ${formatCount(this.#newCodes, 'new short code')}`;
    const clicks = `${formatCount(this.#importedClicks, 'imported click')}`;
    const places = this.#sortedPlaces().map(([host, { links, domain }]) => {
      const from = host === '' ? 'without a domain in the file' : `of ${host}`;
      return printable(
        `${formatCount(links, 'link')} ${from}: to ${domain ?? 'the domain of the server'}`,
      );
    });
    const paused = this.#paused > 0 ? [describePaused(this.#paused)] : [];
    const notKept = this.#notKept.describe();
    return [`${codes}, ${clicks}`, ...places, ...paused, ...(notKept ? [printable(notKept)] : [])];
  }

  record() {
    return {
      keptCodes: this.#keptCodes,
      newCodes: this.#newCodes,
      paused: this.#paused,
      notKept: this.#notKept.record(),
      importedClicks: this.#importedClicks,
      domains: this.#sortedPlaces().map(([host, { links, domain }]) => ({
        host: host === '' ? null : host,
        links,
        domain,
      })),
    };
  }

  #sortedPlaces(): [string, Place][] {
    return [...this.#places].sort(([, a], [, b]) => b.links - a.links);
  }
}
