import { type DestinationStream, type Logger, pino } from 'pino';
import { hideSecrets } from '../../auth/secrets.js';
import type { LogLevel } from '../../config.js';
import { truncateText } from '../../contract/truncate-text.js';

/** The maximum length of a text in a log line. Paths and messages may quote untrusted input. */
export const maxLoggedLength = 2048;
const maxLoggedItems = 50;

const hidden = '[hidden]';

// No code logs these fields, but an error may contain them.
const secretFields = [
  'authorization',
  'cookie',
  'password',
  'passwordHash',
  'secret',
  'standardWebhooksSecret',
  'clientSecret',
  'client_secret',
  'accessToken',
  'access_token',
];

/** Creates a logger of JSON lines that hides secrets in fields and within texts. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: {
        paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: hidden,
      },
      hooks: { streamWrite: (line) => cleanLine(cutLine(line)) },
    },
    destination,
  );
}

/** Hides secrets in a line of JSON, and escapes characters that terminals obey. */
export function cleanLine(line: string): string {
  return escapeControls(hideSecrets(line, hidden));
}

/** Cuts long texts, lists and objects of a line of JSON. */
function cutLine(line: string): string {
  return `${JSON.stringify(JSON.parse(line), (_name, value) => cutValue(value))}\n`;
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string' && value.length > maxLoggedLength) {
    return `${truncateText(value, maxLoggedLength)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, maxLoggedItems);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).slice(0, maxLoggedItems));
}

// JSON escapes controls below 0x20. Terminals also obey C1 controls; bidi controls reorder a line.
const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeControls(line: string): string {
  return line.replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
