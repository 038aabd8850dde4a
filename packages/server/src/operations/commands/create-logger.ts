import { type DestinationStream, type Logger, pino } from 'pino';
import { hideSecrets } from '../../auth/secrets.js';
import type { LogFormat, LogLevel } from '../../config.js';
import { truncateText } from '../../contract/api-error.js';

/** The maximum length of a text in a log line. Paths and messages may quote untrusted input. */
export const maxLoggedLength = 2048;
const maxLoggedItems = 50;

const hidden = '[hidden]';

// No code logs these fields, but an error may contain them.
const secretField =
  /^(authorization|cookie|password(Hash)?|(standardWebhooks|client|client_)?secret|access_?token)$/i;

/** Creates a logger that hides secrets in fields and within texts. */
export function createLogger(
  level: LogLevel,
  destination: DestinationStream,
  format: LogFormat = 'json',
): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        streamWrite: (line) => {
          const cut = `${JSON.stringify(JSON.parse(line), cutValue)}\n`;
          return escapeControls(hideSecrets(format === 'text' ? toText(cut) : cut, hidden));
        },
      },
    },
    destination,
  );
}

/**
 * Returns a line of JSON as text for a terminal: time, level, event and fields. The stack of an error
 * follows, indented.
 */
export function toText(line: string): string {
  const { time, level, msg, pid: _, hostname: __, ...fields } = JSON.parse(line);
  const stacks: string[] = [];
  const parts = Object.entries(fields).map(([name, value]) => {
    const { stack } = (value ?? {}) as { readonly stack?: unknown };
    if (typeof stack !== 'string') {
      const isPlain = typeof value === 'string' && /^[\w./:@+-]+$/.test(value);
      return `${name}=${isPlain ? value : JSON.stringify(value)}`;
    }
    stacks.push(stack.replace(/^/gm, '    '));
    return `${name}=${JSON.stringify({ ...(value as object), stack: undefined })}`;
  });
  const label = pino.levels.labels[level]?.padEnd(5);
  const first = [localTime(time), label, msg, ...parts].join(' ');
  return [first, ...stacks].map((each) => `${each}\n`).join('');
}

/** Returns the time of day of the machine, such as `14:03:07.250`. */
function localTime(iso: string): string {
  const at = new Date(iso);
  const offsetMs = at.getTimezoneOffset() * 60_000;
  return new Date(at.getTime() - offsetMs).toISOString().slice(11, 23);
}

/** Hides the value of a secret field, and limits that of any other. */
function cutValue(name: string, value: unknown): unknown {
  if (secretField.test(name)) return hidden;
  if (typeof value === 'string' && value.length > maxLoggedLength) {
    return `${truncateText(value, maxLoggedLength)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, maxLoggedItems);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).slice(0, maxLoggedItems));
}

// Terminals obey controls, and bidi controls reorder a line. JSON escapes those below 0x20 itself.
const controls = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function escapeControls(line: string): string {
  return line.replace(
    controls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
