import type { Command } from 'commander';
import { UsageError } from './cli-error.js';
import { pathOf } from './command.js';
import type { ImportSummary } from './import/import-summary.js';
import { type OutputFormat, unknownField } from './output.js';
import { dataOf } from './response-data.js';

type Fields = readonly string[];
type FieldsOfFormats = Readonly<Record<OutputFormat, Fields>>;
type OutputFields =
  | Fields
  | FieldsOfFormats
  /** Undefined when the options and arguments make the command change nothing. */
  | ((command: Command) => Fields | undefined);

/** Returns the fields of the data that an operation of the API responds with, and more. */
function responseTo(operation: Parameters<typeof dataOf>[0], ...more: Fields): Fields {
  return [...Object.keys(dataOf(operation).shape), ...more];
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

function domain(operation: 'createDomain' | 'updateDomain' | 'verifyDomain'): FieldsOfFormats {
  const json = responseTo(operation);
  const table = [...json.filter((name) => name !== 'txtRecord'), 'txtName', 'txtValue'];
  return { table, json, ndjson: json, csv: table };
}

/**
 * The fields that each command prints after it has changed something. Fields that only a newer server
 * responds with are unknown.
 */
const outputs: Readonly<Record<string, OutputFields>> = {
  'urls create': responseTo('createUrl'),
  'urls upsert': responseTo('upsertUrl', 'etag'),
  'urls update': responseTo('updateUrl', 'etag'),
  'urls rules set': { table: printedRule, json: none, ndjson: printedRule, csv: printedRule },
  'urls delete': deletion,
  'urls bulk-create': fileImport,
  'urls bulk-update': { table: none, json: updatedRow, ndjson: updatedRow, csv: updatedRow },
  'urls bulk-delete': deletion,
  'urls restore': deletion,
  'urls erase-visits': deletion,
  'tags rename': ['name', 'updatedCount'],
  'tags delete': deletion,
  'qr create': responseTo('createQr'),
  'qr update': responseTo('updateQr', 'etag'),
  'qr delete': deletion,
  'qr export': {
    table: none,
    json: ['written', 'kept', 'failed', 'out', 'errors'],
    ndjson: exportedCode,
    csv: exportedCode,
  },
  'webhooks create': responseTo('createWebhook'),
  'webhooks update': responseTo('updateWebhook', 'etag'),
  'webhooks delete': deletion,
  'webhooks test': responseTo('testWebhook'),
  'webhooks trigger': ['type', 'deliveryId', 'forwardedStatus', 'forwardError', 'durationMs'],
  'webhooks replay': responseTo('replayDelivery'),
  'webhooks recover': responseTo('recoverDeliveries'),
  'webhooks rotate-secret': responseTo('rotateWebhookSecret'),
  'domains create': domain('createDomain'),
  'domains update': domain('updateDomain'),
  'domains verify': domain('verifyDomain'),
  'domains delete': deletion,
  'keys create': responseTo('createApiKey'),
  'keys revoke': deletion,
  'organization update': responseTo('updateOwnOrganization'),
  'admin orgs create': responseTo('createOrganization'),
  'admin orgs update': responseTo('updateOrganization'),
  'admin orgs suspend': responseTo('updateOrganization'),
  'admin orgs resume': responseTo('updateOrganization'),
  'admin orgs delete': responseTo('deleteOrganization'),
  'admin clients create': responseTo('createClient'),
  'admin clients update': responseTo('updateClient'),
  'admin clients revoke': responseTo('revokeClient'),
  'admin keys update': responseTo('updateOrganizationApiKey'),
  'admin keys revoke': responseTo('deleteOrganizationApiKey'),
  'admin takedown create': responseTo('takeDownUrl'),
  'admin takedown undo': responseTo('undoTakedown'),
  'admin hosts block': responseTo('blockHost'),
  'admin hosts unblock': responseTo('unblockHost'),
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
  const output = path.startsWith('import ') ? fileImport : outputs[path];
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

function isList(fields: Fields | FieldsOfFormats): fields is Fields {
  return Array.isArray(fields);
}
