import type { QrCreateRequest, Shorty, UrlRecord } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkId } from '../../find-link.js';
import { isRichTerminal } from '../../io.js';
import { drawQr } from '../../qr/draw-qr.js';
import { requireFolderOf, writeFileAtomically } from '../../write-file-atomically.js';
import {
  addDesignOptions,
  type DesignOptions,
  formatOfFile,
  readDesignOptions,
} from './qr-options.js';

interface CreateOptions extends DesignOptions {
  readonly urlId?: string;
  readonly data?: string;
  readonly stylePreset?: NonNullable<QrCreateRequest['stylePreset']>;
  readonly out?: string;
}

const presets = ['default', 'rounded', 'dots', 'classy'] as const;

export const define: DefineCommand = (command, start) => {
  command
    .addOption(
      new Option(
        '--url-id <link>',
        'link of the QR code (id, short URL, slug or short code)',
      ).conflicts('data'),
    )
    .option('--data <text>', 'text to encode instead of a link, at most 2 KB');
  addDesignOptions(command)
    .addOption(new Option('--style-preset <name>', 'shape of the modules').choices(presets))
    .option('--out <file>', 'write the image to this file; .svg, .png and .webp select the format')
    .addHelpText('after', help)
    .action((options: CreateOptions) => start((context) => createQr(context, options)));
};

const help = `
On a terminal, the command also prints the QR code to scan.`;

async function createQr(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { output, io } = context;
  const { urlId, data, stylePreset, out, ...design } = options;
  const fields = readDesignOptions({ format: formatOfFile(out), ...design });
  if (urlId === undefined && data === undefined) {
    throw new UsageError('--url-id or --data is required', 'see --help');
  }
  if (out !== undefined) await requireFolderOf(out);
  const client = await context.client();
  const body: QrCreateRequest =
    urlId === undefined
      ? { ...fields, data: data ?? '' }
      : { ...fields, urlId: await findLinkId(client, urlId, { signal: io.interrupt }) };
  if (stylePreset !== undefined) body.stylePreset = stylePreset;
  const code = await client.qr.create(body, { signal: io.interrupt });
  await output.record(code);
  // Programs that read stdout expect no drawing.
  const isTerminal = io.stdout.isTTY === true && isRichTerminal(io.stderr, io.env);
  if (isTerminal && !output.isQuiet && output.format === 'table') {
    await drawQr(context, code.qrData, code.errorCorrection);
  }
  if (out !== undefined) {
    const { bytes } = await client.qr.download(code.id, { signal: io.interrupt });
    await writeFileAtomically(out, bytes);
    output.note(`image written to ${out}`);
  }
  if (code.urlId !== null) await warnWithoutSlug(context, client, code.urlId);
  return exitCodes.done;
}

/** Prints a warning if the scans of the link's codes cannot be told from taps on the link. */
async function warnWithoutSlug(
  { output, io }: Context,
  client: Shorty,
  urlId: string,
): Promise<void> {
  const link = await readLink(client, urlId, io.interrupt);
  if (!link || link.customSlug !== null) return;
  const target = `'${link.targetUrl.replaceAll("'", "'\\''")}'`;
  output.warn(
    `Link ${urlId} has no custom slug, so a tap on the link in a message counts as a scan, too. Before you print the code, create a link with a slug, and its code:\nshorty urls create ${target} --slug NAME\nshorty qr create --url-id NAME`,
  );
}

/**
 * Returns the link, or undefined when the request fails. The QR code exists already: a failed command
 * would make users create it again. Nothing is known about the slug then, so there is no warning. The
 * token may also create QR codes without the permission to read links.
 */
async function readLink(
  client: Shorty,
  urlId: string,
  signal: AbortSignal,
): Promise<UrlRecord | undefined> {
  try {
    return await client.urls.get(urlId, { signal, maxRetries: 0 });
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
