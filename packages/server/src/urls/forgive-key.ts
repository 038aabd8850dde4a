import { linkKey } from './url-keys.js';

// Longer than a few quotes and brackets of three bytes each, percent-encoded.
const maxSuffix = 60;

// Spaces and invisible characters, punctuation, and symbols that text formats write around links. No
// slash and no backslash, which begin another segment.
const textAroundLinks = /^(?:(?![/\\])[\p{P}\s\p{Cf}<>`|~])+$/u;

/**
 * Returns the key at the beginning of a path segment that punctuation of a text follows, such as `sale`
 * of `sale.`, `sale%20` or `sale%E2%80%9D`. Returns undefined for any other segment. No key ends with
 * such a character, so the segment itself is no key.
 */
export function forgiveKey(segment: string): string | undefined {
  const [start = ''] = /^[A-Za-z0-9-]{3,50}/.exec(segment) ?? [];
  let end = start.length;
  while (start[end - 1] === '-') end -= 1;
  const key = start.slice(0, end);
  const suffix = segment.slice(end);
  if (suffix === '' || suffix.length > maxSuffix || !linkKey.test(key)) return undefined;
  try {
    return textAroundLinks.test(decodeURIComponent(suffix)) ? key : undefined;
  } catch {
    return undefined;
  }
}
