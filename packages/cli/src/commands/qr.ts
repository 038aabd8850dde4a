import type { QrCreateRequest, QrListQuery, QrRecord } from '@shorty/sdk';
import { fetchScanReport } from '../analytics/fetch-report.js';
import { reportCommand } from '../analytics/report-command.js';
import { reportOptions } from '../analytics/window-options.js';
import { UsageError } from '../cli-error.js';
import { type CommandRow, defined } from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption, withEtag } from '../etag.js';
import { bodyOf, fieldOptions, requireChange } from '../field-options.js';
import { findLinkId, findQrId } from '../find-link.js';
import { isRichTerminal } from '../io.js';
import { columnsOf } from '../output.js';
import { drawQr } from '../qr/draw-qr.js';
import { exportQrs } from '../qr/export-command.js';
import { formatOfFile, ReplacementFile } from '../replacement-file.js';
import { deleteCommand } from './change-command.js';
import { listPages, type PageOptions, pageOptions } from './list-command.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const id = { '<id>': 'id of the QR code, or its link if that has no other code' };

interface CreateInput {
  readonly link?: string;
  readonly urlId?: string;
  readonly data?: string;
  readonly out?: string;
}

interface ListOptions extends PageOptions {
  readonly urlId?: string;
  readonly standalone?: boolean;
  readonly bound?: boolean;
}

interface UpdateInput {
  readonly id: string;
  readonly logoUrl?: string;
  /** False for `--no-logo`. */
  readonly logo?: boolean;
  readonly ifMatch?: string;
}

export const qrCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Create a QR code',
    examples: [
      'shorty qr create spring-sale --format svg --out poster.svg',
      "shorty qr create --data 'WIFI:T:WPA;S:Guests;P:open sesame;;'",
    ],
    args: { '[link]': 'id, short URL, slug or code of the link' },
    options: {
      '--url-id <link>': { text: 'the same as the argument', conflicts: 'data' },
      ...fieldOptions('createQr', ['urlId']),
      '--out <file>': 'write the image to this file; .svg, .png and .webp select the format',
    },
    help: 'On a terminal, the command also prints the QR code to scan.',
    prints: ['POST /api/v1/qr'],
    run: createQr,
  },
  list: {
    summary: 'List QR codes, newest first',
    examples: ['shorty qr list --url-id 42', 'shorty qr list --all --output csv'],
    options: {
      '--url-id <link>': 'only QR codes of this link (id, short URL, slug or short code)',
      '--standalone': { text: 'only QR codes without a link', conflicts: 'bound' },
      '--bound': 'only QR codes of links',
      ...pageOptions('QR code'),
    },
    run: async (context, { urlId: link, standalone, bound, ...pages }: ListOptions) => {
      const client = await context.client();
      const filter: QrListQuery = defined({
        urlId: link === undefined ? undefined : await findLinkId(client, link, context.request),
        standalone: standalone || bound ? standalone === true : undefined,
      });
      const columns = columnsOf<QrRecord>(
        ...(['id', 'urlId', 'qrData', 'format', 'size', 'scanCount', 'downloadCount'] as const),
      );
      return listPages(context, pages, columns, (page) =>
        client.qr.list({ ...filter, ...page }, context.request),
      );
    },
  },
  get: {
    summary: 'Show a QR code',
    examples: [`shorty qr get ${uuid}`],
    args: id,
    run: async ({ client, output, request }, { id }: { id: string }) => {
      const api = await client();
      const code = await findQrId(api, id, request);
      await output.record(withEtag(await api.qr.get(code, request).withResponse()));
    },
  },
  update: {
    summary: 'Change the design of a QR code',
    examples: [`shorty qr update ${uuid} --size 640 --no-logo`],
    args: id,
    options: {
      ...fieldOptions('updateQr'),
      '--no-logo': 'remove the logo',
      '--if-match <etag>': ifMatchOption(),
    },
    help: 'What a code carries never changes. To lead it elsewhere, change its link.',
    prints: ['PATCH /api/v1/qr/{id}', 'etag'],
    run: async ({ client, output, request }, { id, logo, ifMatch, ...input }: UpdateInput) => {
      const patch = bodyOf('updateQr', input);
      if (logo === false && input.logoUrl !== undefined) {
        throw new UsageError('--no-logo and --logo-url cannot be used together');
      }
      if (logo === false) patch.logoUrl = null;
      requireChange(patch);
      const api = await client();
      const call = api.qr.update(await findQrId(api, id, request), patch, { ...request, ifMatch });
      await output.updated(id, patch, withEtag(await call.withResponse()));
    },
  },
  delete: deleteCommand(
    { noun: 'code', verb: 'Delete', isVersioned: true },
    {
      summary: 'Delete QR codes',
      examples: [`shorty qr delete ${uuid}`],
      args: { '<id...>': 'ids of the QR codes, or links with one code' },
    },
    ({ qr }, request) => ({
      find: (each) => qr.get(each, request),
      change: (each) => qr.delete(each, request),
    }),
    findQrId,
  ),
  export: exportQrs,
  scans: reportCommand(
    {
      summary: 'Show the scans of a QR code',
      examples: [`shorty qr scans ${uuid} --since 7d`],
      args: id,
      options: reportOptions('scans'),
    },
    fetchScanReport,
  ),
};

async function createQr(context: Context, input: CreateInput): Promise<undefined> {
  const { output, io, request } = context;
  const { link, out, urlId = link } = input;
  const sources = [link, input.urlId, input.data].filter((source) => source !== undefined);
  if (sources.length !== 1) throw new UsageError('give a link or --data', 'see --help');
  // Opened before the request, so that a file that cannot be written creates no code.
  const file = out === undefined ? undefined : new ReplacementFile(out);
  try {
    const client = await context.client();
    const body = {
      ...defined({ format: formatOfFile(out, ['svg', 'png', 'webp']) }),
      ...bodyOf('createQr', input),
      ...(urlId !== undefined && { urlId: await findLinkId(client, urlId, request) }),
    };
    const code = await client.qr.create(body as QrCreateRequest, request);
    await output.record(code);
    // Programs that read stdout expect no drawing.
    const isTerminal = io.stdout.isTTY === true && isRichTerminal(io.stderr, io.env);
    if (isTerminal && !output.isQuiet && output.format === 'table') {
      await drawQr(context, code.qrData, code.errorCorrection);
    }
    if (file) {
      file.write((await client.qr.download(code.id, request)).bytes);
      file.commit();
      output.note(`image written to ${out}`);
    }
    if (code.urlId !== null) await warnWithoutSlug(context, code.urlId);
  } finally {
    file?.close();
  }
}

/** Prints a warning if the scans of the link's codes cannot be told from taps on the link. */
async function warnWithoutSlug({ client, output, io }: Context, urlId: string): Promise<void> {
  const signal = io.interrupt;
  let target: string;
  try {
    const link = await (await client()).urls.get(urlId, { signal, maxRetries: 0 });
    if (link.customSlug !== null) return;
    target = `'${link.targetUrl.replaceAll("'", "'\\''")}'`;
  } catch (error) {
    if (signal.aborted) throw error;
    // The QR code exists already: a failed command would make users create it again. The token may also
    // create QR codes without the permission to read links.
    return;
  }
  output.warn(
    `Link ${urlId} has no custom slug, so a tap on the link in a message counts as a scan, too. Before you print the code, create a link with a slug, and its code:\nshorty urls create ${target} --slug NAME\nshorty qr create NAME`,
  );
}
