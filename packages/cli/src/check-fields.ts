import type { Command } from 'commander';
import { UsageError } from './cli-error.js';
import { pathOf } from './command.js';
import { adminCommands } from './commands/admin.js';
import responseFields from './generated/response-fields.json' with { type: 'json' };
import type { ImportSummary } from './import/import-report.js';
import { type OutputFormat, unknownField } from './output.js';

type Fields = readonly string[];
type FieldsOfFormats = Readonly<Record<OutputFormat, Fields>>;
type OutputFields =
  | Fields
  | FieldsOfFormats
  /** Undefined when the options and arguments make the command change nothing. */
  | ((command: Command) => Fields | undefined);

/** Returns the fields of the data that a route of the API responds with, and more. */
function responseTo(route: keyof typeof responseFields, ...more: Fields): Fields {
  return [...responseFields[route], ...more];
}

const none: Fields = [];
const deletion: Fields = ['id', 'status'];

const importSummary: Readonly<Record<keyof ImportSummary, true>> = {
  rows: true,
  created: true,
  failed: true,
  paused: true,
  notKept: true,
  skipped: true,
  isQuotaReached: true,
  replayed: true,
  rowsBefore: true,
  uncertain: true,
  durationMs: true,
  out: true,
  failedOut: true,
  errors: true,
};
const fileImport: OutputFields = {
  table: none,
  json: Object.keys(importSummary),
  ndjson: none,
  csv: none,
};

const updatedRow = ['line', 'id', 'status', 'error', 'code'];
const printedRule = ['rule', 'when', 'targets'];
const exportedCode = ['id', 'status', 'file', 'size', 'error'];

function domain(route: keyof typeof responseFields): FieldsOfFormats {
  const json = responseTo(route);
  const table = [...json.filter((name) => name !== 'txtRecord'), 'txtName', 'txtValue'];
  return { table, json, ndjson: json, csv: table };
}

/**
 * The fields that each command prints after it has changed something. Fields that only a newer server
 * responds with are unknown.
 */
const outputs: Readonly<Record<string, OutputFields>> = {
  shorten: responseTo('POST /api/v1/urls'),
  'urls pause': deletion,
  'urls resume': deletion,
  'urls create': responseTo('POST /api/v1/urls'),
  'urls upsert': responseTo('PUT /api/v1/urls/by-external-id/{externalId}', 'etag'),
  'urls update': responseTo('PATCH /api/v1/urls/{id}', 'etag'),
  'urls rules set': { table: printedRule, json: none, ndjson: printedRule, csv: printedRule },
  'urls delete': deletion,
  'urls bulk-create': fileImport,
  'urls bulk-update': { table: none, json: updatedRow, ndjson: updatedRow, csv: updatedRow },
  'urls bulk-delete': deletion,
  'urls restore': deletion,
  'urls erase-visits': deletion,
  'tags rename': ['name', 'updatedCount'],
  'tags delete': deletion,
  'qr create': responseTo('POST /api/v1/qr'),
  'qr update': responseTo('PATCH /api/v1/qr/{id}', 'etag'),
  'qr delete': deletion,
  'qr export': {
    table: none,
    json: ['written', 'kept', 'failed', 'out', 'errors'],
    ndjson: exportedCode,
    csv: exportedCode,
  },
  'webhooks create': responseTo('POST /api/v1/webhooks'),
  'webhooks update': responseTo('PATCH /api/v1/webhooks/{id}', 'etag'),
  'webhooks delete': deletion,
  'webhooks test': responseTo('POST /api/v1/webhooks/{id}/test'),
  'webhooks trigger': ['type', 'deliveryId', 'forwardedStatus', 'forwardError', 'durationMs'],
  'webhooks replay': responseTo('POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay'),
  'webhooks recover': responseTo('POST /api/v1/webhooks/{id}/recover'),
  'webhooks rotate-secret': responseTo('POST /api/v1/webhooks/{id}/rotate-secret'),
  'domains create': domain('POST /api/v1/domains'),
  'domains update': domain('PATCH /api/v1/domains/{id}'),
  'domains verify': domain('POST /api/v1/domains/{id}/verify'),
  'domains delete': deletion,
  'keys create': responseTo('POST /api/v1/api-keys'),
  'keys revoke': deletion,
  'organization update': responseTo('PATCH /api/v1/organization'),
};

/**
 * Throws a UsageError when a command that changes something does not print these fields. After the
 * change, an error would make users repeat it. Other commands check the fields of what they have read.
 */
export function checkFields(
  fields: readonly string[],
  command: Command,
  format: OutputFormat,
): void {
  if (command.opts().dryRun) return;
  const path = pathOf(command);
  const output = path.startsWith('import ') ? fileImport : (outputs[path] ?? adminFields(path));
  const found = typeof output === 'function' ? output(command) : output;
  if (!found) return;
  const known = isList(found) ? found : found[format];
  if (known.length === 0) {
    throw new UsageError(
      `--fields: the output of ${path} as ${format} has no fields`,
      'omit --fields, or use --json',
    );
  }
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) throw unknownField(unknown, known);
}

/** Returns the fields of a command of the operator that changes something. */
function adminFields(path: string): Fields | undefined {
  const route = adminCommands[path.replace(/^admin /, '')]?.route;
  return responseFields[route as keyof typeof responseFields];
}

function isList(fields: Fields | FieldsOfFormats): fields is Fields {
  return Array.isArray(fields);
}
