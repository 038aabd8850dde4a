import type { QrCreateRequest, QrRecord } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { checkId } from '../../import/id-list.js';
import { isRichTerminal } from '../../io.js';
import { writeWhole } from '../../qr/write-whole.js';
import { addDesignOptions, type DesignOptions, readDesignOptions } from './qr-options.js';

interface CreateOptions extends DesignOptions {
  readonly urlId?: string;
  readonly data?: string;
  readonly stylePreset?: NonNullable<QrCreateRequest['stylePreset']>;
  readonly out?: string;
}

const presets = ['default', 'rounded', 'dots', 'classy'] as const;

export const define: DefineCommand = (command, start) => {
  command
    .addOption(new Option('--url-id <id>', 'the link that the code leads to').conflicts('data'))
    .option('--data <text>', 'a text of its own instead, at most 2 KB');
  addDesignOptions(command)
    .addOption(new Option('--style-preset <name>', 'shape of the modules').choices(presets))
    .option('--out <file>', 'write the picture there')
    .addHelpText('after', help)
    .action((options: CreateOptions) => start((context) => createQr(context, options)));
};

const help = `
On a terminal the code is shown, too: point a phone at it.

  shorty qr create --url-id 42 --format svg --out poster.svg
  shorty qr create --data 'WIFI:T:WPA;S:Guests;P:open sesame;;'`;

async function createQr(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { output, io } = context;
  const { urlId, data, stylePreset, out, ...design } = options;
  if (urlId === undefined && data === undefined) {
    throw new UsageError('a code needs --url-id or --data', 'see --help');
  }
  const body: QrCreateRequest = readDesignOptions(design);
  if (urlId !== undefined) body.urlId = checkId(urlId);
  if (data !== undefined) body.data = data;
  if (stylePreset !== undefined) body.stylePreset = stylePreset;
  const client = await context.client();
  const code = await client.qr.create(body, { signal: io.interrupt });
  await output.record(code);
  await showCode(context, code);
  if (out !== undefined) {
    const { bytes } = await client.qr.download(code.id, { signal: io.interrupt });
    await writeWhole(out, bytes);
    output.note(`picture written to ${out}`);
  }
  return exitCodes.done;
}

/** For people only: whoever reads stdout by a program gets data and nothing else. */
async function showCode({ io, output }: Context, code: QrRecord): Promise<void> {
  const isWatched = io.stdout.isTTY === true && isRichTerminal(io.stderr, io.env);
  if (!isWatched || output.isQuiet || output.format !== 'table') return;
  const { terminalCode } = await import('../../qr/terminal-code.js');
  const picture = terminalCode(code.qrData, {
    level: code.errorCorrection,
    hasColor: output.allowsColor,
    columns: io.stderr.columns ?? 80,
  });
  output.note(picture ?? 'the code is wider than this terminal; --out writes its picture');
}
