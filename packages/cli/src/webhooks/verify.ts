import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
import { CliError, UsageError } from '../cli-error.js';
import { type CommandRow, collect, parseCount } from '../command.js';
import { readSecret } from '../prompt.js';
import { readBytes } from '../read-input.js';

/** The help text on the secret. It is never a flag, because other processes can read flags. */
const secretHelp = `Set the webhook secret in SHORTY_WEBHOOK_SECRET, or pass it on stdin with
--secret-stdin.`;

export const verify: CommandRow = {
  summary: 'Check the signature of a delivery',
  examples: [
    "shorty webhooks verify body.json -H 'X-Service-Timestamp: 1924992000' \\\n  -H 'X-Service-Signature: sha256=9f86d081884c7d65'",
  ],
  args: { '<body>': 'file with the unchanged body, or - for stdin' },
  options: {
    '-H, --header <line>': {
      text: "'X-Service-Timestamp: …' and 'X-Service-Signature: …'",
      parse: collect,
    },
    '--tolerance <seconds>': {
      text: 'maximum age of the timestamp (default: 300)',
      parse: parseCount,
    },
    '--secret-stdin': 'read the secret from stdin (prompts on a terminal)',
  },
  help: `${secretHelp}
Prints the event and exits with 0, or prints the error and exits with 1.`,
  run: async (
    context,
    input: { body: string; header?: string[]; secretStdin?: boolean; tolerance?: number },
  ) => {
    const { body: path, header = [], secretStdin, tolerance } = input;
    if (path === '-' && secretStdin) {
      throw new UsageError('body and secret cannot both come from stdin', secretHelp);
    }
    const headers = header.map(parseHeader);
    const secret = secretStdin
      ? await readSecret(context, 'Webhook secret (not shown): ')
      : context.io.env.SHORTY_WEBHOOK_SECRET;
    if (!secret && secretStdin) throw new UsageError('--secret-stdin: stdin is empty');
    if (!secret) throw new UsageError('no webhook secret', secretHelp);
    const body = await readBytes(context, path);
    try {
      const event = verifyWebhook({
        body,
        headers,
        secret,
        tolerance,
        now: new Date(context.io.now()),
      });
      await context.output.record(event);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      throw new CliError(`${error.code}: ${error.message}`, { code: error.code, cause: error });
    }
  },
};

function parseHeader(line: string): readonly [string, string] {
  const split = line.indexOf(':');
  if (split > 0) return [line.slice(0, split).trim(), line.slice(split + 1).trim()];
  throw new UsageError(`--header ${line}: must have the form 'Name: value'`);
}
