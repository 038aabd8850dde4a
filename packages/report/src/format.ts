/** `1,000 rows`, `1 row`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

export function formatNumber(value: number): string {
  // toLocaleString loads 8 MB of locale data at its first use.
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `0.15`, `12.00`, `0.0000075`: at least two decimals, at most seven. */
export function formatUsd(amount: number): string {
  return amount.toFixed(7).replace(/(\.\d\d\d*?)0+$/, '$1');
}

/** `2030-01-31 14:05 UTC`; for a text of the API with another offset, `2030-01-31 14:05 +01:00`. */
export function formatInstant(instant: number | string): string {
  const text = typeof instant === 'string' ? instant : new Date(instant).toISOString();
  const zone = text.endsWith('Z') ? 'UTC' : text.slice(-'+01:00'.length);
  return `${text.slice(0, 16).replace('T', ' ')} ${zone}`;
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return joinParts(minutes, 'min', whole % 60, 's');
  return joinParts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function joinParts(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

// A stored title could send escape sequences to the terminal, or display its text in another order:
// control characters, bidi controls, and separators of lines and paragraphs.
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const spaces = new Set(['\n', '\t', '\r', '\u2028', '\u2029']);

/** Returns untrusted text in one line without characters that control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (char) => (spaces.has(char) ? ' ' : '\u{fffd}'));
}

/** Returns a value as JSON in which characters that control the terminal are escaped. */
export function formatJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent));
}

/** Returns JSON in which characters that control the terminal are escaped. */
export function escapeJson(json: string): string {
  return json.replaceAll(unsafe, (char) =>
    // Line breaks outside strings are part of the indentation.
    char === '\n' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
