import type { QrImage, Shorty } from '@shorty/sdk';
import { readTime } from '../analytics/parse-time.js';
import { UsageError } from '../cli-error.js';
import { send } from '../commands/request-command.js';
import { readEtag, withEtag } from '../etag.js';
import { times } from '../field-options.js';
import { type OperationId, operations } from '../operations.js';
import { kinds, Named } from '../records.js';

type Fields = Readonly<Record<string, unknown>>;

/** A tool that the assistant can call: one operation of the API, whose inputs it has. */
export interface Tool {
  readonly name: string;
  /** Assistants select a tool by this text alone. */
  readonly description: string;
  readonly operation: OperationId;
  /** Whether the input `link` names the record of the path, or the link that the operation is about. */
  readonly link?: 'required' | 'optional';
  /** The operation to call with `link`, if it is another one. */
  readonly linkOperation?: OperationId;
  /** Inputs of the operation that the tool does not have, or sets itself. */
  readonly without?: readonly string[];
  /** Whether the result has the ETag of the record. A change then takes `ifMatch`. */
  readonly isVersioned?: boolean;
  /** Whether the result is a QR code with its image. */
  readonly hasImage?: boolean;
}

const rows: Readonly<Record<string, Omit<Tool, 'name'>>> = {
  find_links: {
    description:
      'Lists or searches short links, newest first by default. Returns id, shortUrl, targetUrl, title, category, tags, isActive, expiresAt, clickCount and createdAt of each link, the total, and nextAfter, which is null on the last page. get_link returns all fields.',
    operation: 'listUrls',
    without: ['view', 'offset'],
  },
  get_link: {
    description:
      'Returns all fields of one short link, and its etag, which update_link takes as ifMatch. clickCount counts the clicks of people since the creation; importedClicks are those of another link shortener before it.',
    operation: 'getUrl',
    link: 'required',
    isVersioned: true,
  },
  create_link: {
    description:
      'Creates a short link and returns its id and shortUrl. Each call creates another link, except with ifExists.',
    operation: 'createUrl',
    without: ['isPasswordProtected', 'importedClicks', 'importedCode', 'importedCreatedAt'],
  },
  update_link: {
    description:
      'Changes the given fields of a short link and returns all its fields. isActive false pauses the link, true resumes it. null empties a field: expiresAt null removes the expiry. The slug never changes.',
    operation: 'updateUrl',
    link: 'required',
    without: ['isPasswordProtected'],
    isVersioned: true,
  },
  delete_link: {
    description:
      'Deletes a short link: visitors get 410 Gone. Its record, slug and clicks remain, and update_link with isActive true restores it.',
    operation: 'deleteUrl',
    link: 'required',
    without: ['erase'],
  },
  find_domains: {
    description:
      'Lists the custom domains of the organization, newest first. create_link takes the id of one as domainId. Only a domain whose isActive is true takes links.',
    operation: 'listDomains',
    without: ['offset'],
  },
  find_qr_codes: {
    description:
      'Lists the QR codes of one link, or all QR codes, newest first. Returns the design, scanCount and downloadCount of each. Their image is at downloadUrl, without a token.',
    operation: 'listQrs',
    link: 'optional',
    without: ['offset', 'urlId'],
  },
  get_qr_code: {
    description:
      'Returns a QR code and its image. The image counts as a download. SVG images are returned as text.',
    operation: 'getQr',
    hasImage: true,
  },
  create_qr_code: {
    description:
      'Creates a QR code for a short link, or for any text, and returns it with its image. A code for a link counts its scans, and the target of the link can change later. Exactly one of link and data is required.',
    operation: 'createQr',
    link: 'optional',
    without: ['urlId'],
    hasImage: true,
  },
  get_click_report: {
    description:
      'Reports the clicks of one link, or of all links with the most clicked links: totals, unique visitors, countries, devices, browsers, referrers, languages, UTM parameters and a time series. Bots do not count. A visit must match each given filter, by one of its values. With link, it needs the scope urls:read, and without, analytics:read.',
    operation: 'getAnalyticsOverview',
    link: 'optional',
    linkOperation: 'getUrlClicks',
    without: ['urlId'],
  },
  get_scan_report: {
    description:
      'Reports the scans of one QR code: totals, countries, devices, scanner apps and a time series.',
    operation: 'getQrScans',
  },
  get_account: {
    description:
      'Returns the organization, its plan, the scopes of this connection, and the usage of this month with the limits of the plan.',
    operation: 'getMe',
  },
};

export const tools: readonly Tool[] = Object.entries(rows).map(([name, row]) => ({ name, ...row }));

/** Returns `add` for what creates records only, `change` for what overwrites fields and may be repeated. */
export function accessOf({ operation }: Tool): 'read' | 'add' | 'change' {
  const { route } = operations[operation];
  return route.startsWith('GET') ? 'read' : route.startsWith('POST') ? 'add' : 'change';
}

/** Returns the scopes of which the token needs one. Any token suffices if there are none. */
export function scopesOf({ operation, linkOperation = operation }: Tool): readonly string[] {
  // The scope urls:erase is only for erasing, which no tool does.
  const scopes = [...operations[operation].scopes, ...operations[linkOperation].scopes];
  return [...new Set(scopes)].filter((scope) => scope !== 'urls:erase');
}

// The fields by which an assistant selects a link, because whole records fill its context.
const summaryFields = [
  ...['id', 'shortUrl', 'targetUrl', 'title', 'category', 'tags'],
  ...['isActive', 'expiresAt', 'clickCount', 'createdAt'],
];
const pick = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => summaryFields.includes(field)));

const timeForms = 'An instant (ISO 8601), a date, or a duration before now such as 7d or 24h.';
const text = (description: string) => ({ type: 'string', description });

/** Returns the JSON schema of the inputs of a tool. */
export function inputSchemaOf({ operation, link, without = [], isVersioned }: Tool) {
  const { route, properties, required = [] } = operations[operation];
  const own = Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, schema]) => {
      if (!times.includes(name)) return [name, schema];
      return [name, { ...schema, description: `${schema.description} ${timeForms}` }];
    });
  const isById = route.includes('{id}') && !link;
  return {
    type: 'object' as const,
    properties: {
      ...(link && { link: text(`The link: ${kinds.link.forms}.`) }),
      ...(isById && { id: text(`The QR code: ${kinds.code.forms}.`) }),
      ...Object.fromEntries(own),
      ...(operations[operation].isVersioned &&
        isVersioned && {
          ifMatch: text('The etag of get_link: the call fails if the link has changed since then.'),
        }),
    } as Record<string, object>,
    required: [...(link === 'required' ? ['link'] : []), ...(isById ? ['id'] : []), ...required],
    additionalProperties: false,
  };
}

/** Calls a tool. `signal` is aborted when the assistant cancels the call, or the command ends. */
export async function runTool(
  tool: Tool,
  input: Fields,
  client: Shorty,
  signal: AbortSignal,
  now: number,
): Promise<{ readonly data: object; readonly image?: QrImage }> {
  checkNames(tool, input);
  const { link, ifMatch, id, ...fields } = input;
  const connection = {
    client: async () => client,
    operator: () => Promise.reject(new Error('assistants are no operators')),
    request: { signal },
  };
  const nameOf = (kind: 'link' | 'code', value: unknown) =>
    value === undefined ? undefined : new Named(kind, String(value), connection);
  const named = nameOf('link', link) ?? nameOf('code', id);
  const name = (link !== undefined && tool.linkOperation) || tool.operation;
  const { route } = operations[name];
  const isInPath = route.includes('{id}');
  const sent = {
    ...readFields(fields, now),
    ...(name === 'listUrls' && { view: 'full' }),
    ...(named && !isInPath && { urlId: named }),
  };
  const answer = await send(route, connection, isInPath ? { id: named } : {}, sent, {
    signal,
    ...(ifMatch !== undefined && { ifMatch: readEtag('ifMatch', `${ifMatch}`) }),
  });
  const data = answer.data as Fields;
  if (name === 'getMe') return { data: { ...data, usage: await client.usage.get({}, { signal }) } };
  if (name === 'listUrls') return { data: { ...data, items: (data.items as object[]).map(pick) } };
  if (tool.hasImage) return { data, image: await client.qr.download(String(data.id), { signal }) };
  return { data: tool.isVersioned ? withEtag({ ...answer, data }) : data };
}

/** The server checks the values. It would ignore an unknown name in a body of a newer version. */
function checkNames(tool: Tool, input: Fields): void {
  const { properties, required } = inputSchemaOf(tool);
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    throw new UsageError(
      `"${unknown}": unknown input`,
      `inputs: ${Object.keys(properties).join(', ')}`,
    );
  }
  const missing = required.find((name) => input[name] === undefined);
  if (missing !== undefined) throw new UsageError(`${missing} is required`);
}

/** Returns the fields with times that the server reads. */
function readFields(fields: Fields, now: number): Fields {
  const read = Object.entries(fields).map(([name, value]) => [
    name,
    times.includes(name) ? readTime(name, String(value), now) : value,
  ]);
  return Object.fromEntries(read);
}
