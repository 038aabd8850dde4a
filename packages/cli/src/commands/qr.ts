import { fetchScanReport } from '@shorty/report';
import type { QrRecord, UrlRecord } from '@shorty/sdk';
import { reportCommand } from '../analytics/report-command.js';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { fieldOptions } from '../field-options.js';
import { isRichTerminal } from '../io.js';
import { exportQrs } from '../qr/export.js';
import { type Named, naming } from '../records.js';
import { formatOfFile, replaceFile, requireWritable } from '../replacement-file.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

interface CreateInput {
  readonly link?: Named<UrlRecord>;
  readonly data?: string;
  readonly format?: string;
  readonly out?: string;
}

export const qrCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand<QrRecord>('createQr', {
    examples: [
      'shorty qr create spring-sale --format svg --out poster.svg',
      "shorty qr create --data 'WIFI:T:WPA;S:Guests;P:open sesame;;'",
    ],
    args: { '[link]': naming('link') },
    options: {
      ...fieldOptions('createQr', ['urlId']),
      '--out <file>': 'write the image to this file; .svg, .png and .webp select the format',
    },
    help: 'On a terminal, the command also prints the QR code to scan.',
    fields: async ({ link, out, ...input }: CreateInput) => {
      if ((link === undefined) === (input.data === undefined)) {
        throw new UsageError('give a link or --data', 'see --help');
      }
      const format = formatOfFile(out, ['svg', 'png', 'webp'], { chosen: input.format });
      // A file that cannot be written creates no code.
      if (out !== undefined) await requireWritable(out);
      return { format, ...input, urlId: link };
    },
    print: async (context, code, { link, out }: CreateInput) => {
      const { client, io, output, request } = context;
      await output.record(code);
      // Programs that read stdout expect no drawing.
      const isTerminal = io.stdout.isTTY === true && isRichTerminal(io.stderr, io.env);
      if (isTerminal && !output.isQuiet && output.format === 'table') {
        const { drawQr } = await import('../qr/terminal-code.js');
        await drawQr(context, code.qrData, code.errorCorrection);
      }
      if (out !== undefined) {
        await replaceFile(out, (await (await client()).qr.download(code.id, request)).bytes);
        output.note(`image written to ${out}`);
      }
      // A client may create codes without the scope to read links.
      const bound = await link?.known();
      if (bound) warnWithoutSlug(context, bound);
    },
  }),
  list: listCommand<QrRecord>('listQrs', {
    examples: ['shorty qr list --url-id spring-sale', 'shorty qr list --all --output csv'],
    columns: ['id', 'urlId', 'qrData', 'scanCount', 'format', 'size', 'downloadCount'],
  }),
  get: requestCommand('getQr', {
    examples: ['shorty qr get spring-sale', `shorty qr get ${uuid}`],
  }),
  update: requestCommand('updateQr', {
    examples: ['shorty qr update spring-sale --size 640 --clear logoUrl'],
    clears: true,
    help: 'What a code carries never changes. To lead it elsewhere, change its link.',
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
