export type ImageKind = 'png' | 'jpeg' | 'webp' | 'svg';

/** What bytes are, by themselves: names and content types lie. */
export function imageKind(bytes: Uint8Array): ImageKind | 'html' | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp';
  const root = rootElement(head);
  if (root === 'svg' || root === 'svg:svg') return 'svg';
  return root === undefined && !/^\s*<!doctype html/i.test(head) ? undefined : 'html';
}

/** The name of a document's first element, behind its byte order mark, prolog and comments. */
function rootElement(head: string): string | undefined {
  const prolog =
    /^(?:\xef\xbb\xbf)?(?:\s+|<\?[^>]*\?>|<!--[\s\S]*?-->|<!doctype[^>[]*(?:\[[^\]]*\])?\s*>)*/i;
  return /^<([a-z][\w:-]*)/i.exec(head.replace(prolog, ''))?.[1]?.toLowerCase();
}
