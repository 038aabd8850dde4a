import { UsageError } from '../cli-error.js';

const candidates = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that a first line such as `sep=;` names. Excel writes and reads such a line. */
export function readSepLine(text: string): string | undefined {
  return /^"?sep=([^"\r\n])"?[\r\n]/i.exec(text)?.[1];
}

/** Returns the most frequent delimiter outside quotes in the first line, by default a comma. */
export function detectDelimiter(text: string, { hasHeader }: { hasHeader: boolean }): string {
  const counts = new Map<string, number>(candidates.map((candidate) => [candidate, 0]));
  let isQuoted = false;
  let hasContent = false;
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === '\n' || char === '\r') {
      if (hasContent) break;
    } else {
      const count = counts.get(char);
      if (count !== undefined) counts.set(char, count + 1);
    }
    if (char.trim() !== '') hasContent = true;
  }
  let best: string = ',';
  // In a row of values, | also separates tags.
  if (!hasHeader) counts.delete('|');
  for (const [candidate, count] of counts) if (count > (counts.get(best) ?? 0)) best = candidate;
  return best;
}

const names: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
};

export function parseDelimiter(text: string): string {
  const delimiter = names[text.toLowerCase()] ?? text;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new UsageError(
    `--delimiter ${JSON.stringify(text)} must be one character`,
    'or one of the names tab, comma, semicolon, pipe',
  );
}

export function delimiterName(delimiter: string): string {
  const named = Object.entries(names).find(([, character]) => character === delimiter);
  return named?.[0] ?? JSON.stringify(delimiter);
}
