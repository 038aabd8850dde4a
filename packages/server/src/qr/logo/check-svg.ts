/**
 * Why an SVG is not drawn; undefined when it is plain shapes and text. Nothing of an SVG is ever
 * served, run or fetched: it is drawn to pixels by a library that has neither network nor files.
 * These are refused all the same, since the picture would not be what its sender sees.
 */
export function svgFault(bytes: Uint8Array): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'an SVG that is not in UTF-8';
  }
  for (const [pattern, fault] of faults) if (pattern.test(text)) return fault;
  return undefined;
}

const faults: readonly (readonly [RegExp, string])[] = [
  [/<!ENTITY|<!DOCTYPE[^>]*\[/i, 'an SVG that declares entities'],
  [/<(?:[\w-]+:)?script\b/i, 'an SVG with a script'],
  [/\son[a-z]+\s*=/i, 'an SVG with event handlers'],
  [/<(?:[\w-]+:)?foreignObject\b/i, 'an SVG with foreign content'],
  [/<(?:[\w-]+:)?(?:image|feImage)\b/i, 'an SVG with an image inside: send that image itself'],
  [/<\?xml-stylesheet|@import/i, 'an SVG with an external style sheet'],
  [/\bhref\s*=\s*(?!["']\s*#)/i, 'an SVG with an external reference'],
  [/\burl\(\s*(?!["']?\s*#|&quot;#|&apos;#)/i, 'an SVG with an external reference'],
];
