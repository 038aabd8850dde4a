import { fetchScanReport } from '@shorty/report';
import type { QrCreateRequest, QrRecord, UrlRecord } from '@shorty/sdk';
import { reportCommand } from '../analytics/report-command.js';
import { UsageError } from '../cli-error.js';
import { type CommandRow, defined } from '../command.js';
import type { Context } from '../context.js';
import { bodyOf, fieldOptions } from '../field-options.js';
import { isRichTerminal } from '../io.js';
import { operations } from '../operations.js';
import { exportQrs } from '../qr/export.js';
import { type Named, naming } from '../records.js';
import { formatOfFile, ReplacementFile } from '../replacement-file.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

interface CreateInput {
  readonly link?: Named<UrlRecord>;
  readonly urlId?: Named<UrlRecord>;
  readonly data?: string;
  readonly format?: string;
  readonly out?: string;
}

export const qrCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Create a QR code',
    examples: [
      'shorty qr create spring-sale --format svg --out poster.svg',
      "shorty qr create --data 'WIFI:T:WPA;S:Guests;P:open sesame;;'",
    ],
    args: { '[link]': naming('link') },
    options: {
      '--url-id <link>': { ...naming('link', 'the same as the argument'), conflicts: 'data' },
      ...fieldOptions('createQr', ['urlId']),
      '--out <file>': 'write the image to this file; .svg, .png and .webp select the format',
    },
    help: 'On a terminal, the command also prints the QR code to scan.',
    prints: operations.createQr.prints,
    run: async (context, input: CreateInput) => {
      const { output, io, request } = context;
      const { link, out, urlId = link } = input;
      const sources = [link, input.urlId, input.data].filter((source) => source !== undefined);
      if (sources.length !== 1) throw new UsageError('give a link or --data', 'see --help');
      const chosen = { chosen: input.format, chosenBy: '--format' };
      const ofFile = formatOfFile(out, ['svg', 'png', 'webp'], chosen);
      // Opened before the request, so that a file that cannot be written creates no code.
      const file = out === undefined ? undefined : new ReplacementFile(out);
      try {
        const client = await context.client();
        const body = {
          ...defined({ format: ofFile }),
          ...bodyOf('createQr', input),
          ...(urlId !== undefined && { urlId: await urlId.id() }),
        };
        const code = await client.qr.create(body as QrCreateRequest, request);
        await output.record(code);
        // Programs that read stdout expect no drawing.
        const isTerminal = io.stdout.isTTY === true && isRichTerminal(io.stderr, io.env);
        if (isTerminal && !output.isQuiet && output.format === 'table') {
          const { drawQr } = await import('../qr/terminal-code.js');
          await drawQr(context, code.qrData, code.errorCorrection);
        }
        if (file) {
          file.write((await client.qr.download(code.id, request)).bytes);
          file.commit();
          output.note(`image written to ${out}`);
        }
        // A client may create codes without the scope to read links.
        const bound = await urlId?.known();
        if (bound) warnWithoutSlug(context, bound);
      } finally {
        file?.close();
      }
    },
  },
  list: listCommand<QrRecord>('listQrs', {
    examples: ['shorty qr list --url-id spring-sale', 'shorty qr list --all --output csv'],
    item: 'QR code',
    columns: ['id', 'urlId', 'qrData', 'scanCount', 'format', 'size', 'downloadCount'],
    options: {
      ...fieldOptions('listQrs', ['standalone']),
      '--standalone': { text: 'only QR codes without a link', conflicts: 'bound' },
      '--bound': 'only QR codes of links',
    },
    fields: ({ standalone, bound, ...query }: { standalone?: boolean; bound?: boolean }) => ({
      ...query,
      ...((standalone || bound) && { standalone: standalone === true }),
    }),
  }),
  get: requestCommand('getQr', {
    examples: ['shorty qr get spring-sale', `shorty qr get ${uuid}`],
  }),
  update: requestCommand('updateQr', {
    examples: ['shorty qr update spring-sale --size 640 --no-logo'],
    options: { ...fieldOptions('updateQr'), '--no-logo': 'remove the logo' },
    help: 'What a code carries never changes. To lead it elsewhere, change its link.',
    fields: ({ logo, ...input }: { logo?: boolean; logoUrl?: string }) => {
      if (logo !== false) return bodyOf('updateQr', input);
      if (input.logoUrl === undefined) return { ...bodyOf('updateQr', input), logoUrl: null };
      throw new UsageError('--no-logo and --logo-url cannot be used together');
    },
  }),
  delete: changeCommand('Delete', 'code', 'deleteQr', { examples: [`shorty qr delete ${uuid}`] }),
  export: exportQrs,
  scans: reportCommand('getQrScans', fetchScanReport, ['shorty qr scans spring-sale --since 7d']),
};

/** Prints a warning if the scans of the link's codes cannot be told from taps on the link. */
function warnWithoutSlug({ output }: Context, { id, customSlug, targetUrl }: UrlRecord): void {
  if (customSlug !== null) return;
  const target = `'${targetUrl.replaceAll("'", "'\\''")}'`;
  output.warn(
    `Link ${id} has no custom slug, so a tap on the link in a message counts as a scan, too. Before you print the code, create a link with a slug, and its code:\nshorty urls create ${target} --slug NAME\nshorty qr create NAME`,
  );
}
