import { Parser } from 'htmlparser2';
import { truncateText } from '../contract/api-error.js';
import { parseUrl } from '../network/parse-url.js';
import {
  imageUrl,
  type LinkPreview,
  maxPreviewDescription,
  maxPreviewTitle,
} from '../urls/link-preview.js';
import { yieldToEventLoop } from '../yield-to-event-loop.js';

// Parsing it takes a few milliseconds at most.
const sliceLength = 4_096;
// The parser searches all open elements at each end tag. Pages have their metadata near the root.
const maxDepth = 100;
// What is stored is shorter.
const maxRawLength = 10_000;

/** The names of `meta` elements, the preferred ones first. */
const names = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  imageUrl: [
    'og:image:secure_url',
    'og:image',
    'og:image:url',
    'twitter:image',
    'twitter:image:src',
  ],
} as const;
const wanted: ReadonlySet<string> = new Set(Object.values(names).flat());

/**
 * Returns what a page says about itself for link previews: by Open Graph, then by Twitter's tags, then by
 * its title and description. Returns undefined without a title. `pageUrl` is its address.
 */
export async function readPageMetadata(
  page: string,
  pageUrl: URL,
): Promise<LinkPreview | undefined> {
  /** The first content of each `meta` element by its name. */
  const metas = new Map<string, string>();
  let title = '';
  let base = '';
  let depth = 0;
  let isInTitle = false;
  /** Whether there is a title, or none follows: pictures in the body have titles, too. */
  let hasTitle = false;
  const parser = new Parser({
    onopentag(name, { property, name: metaName = '', content = '', href = '' }) {
      depth += 1;
      if (depth > maxDepth) parser.pause();
      else if (name === 'meta') {
        // Open Graph uses `property`, everything else `name`, and pages confuse them.
        const key = (property ?? metaName).trim().toLowerCase();
        if (!wanted.has(key) || metas.has(key) || content.trim() === '') return;
        metas.set(key, truncateText(content, maxRawLength));
      } else if (name === 'base') base ||= href.slice(0, maxRawLength);
      else if (name === 'title' && !hasTitle) isInTitle = true;
      else if (name === 'body') hasTitle = true;
    },
    ontext(text) {
      if (isInTitle && title.length < maxRawLength) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name !== 'title' || !isInTitle) return;
      isInTitle = false;
      hasTitle = title.trim() !== '';
    },
  });
  for (let at = 0; at < page.length && depth <= maxDepth; at += sliceLength) {
    if (at > 0) await yieldToEventLoop();
    parser.write(page.slice(at, at + sliceLength));
  }
  const textOf = (field: 'title' | 'description') =>
    names[field].map((name) => metas.get(name) ?? '').find((text) => text.trim() !== '');
  const shown = toLine(textOf('title') ?? title, maxPreviewTitle);
  if (shown === '') return undefined;
  const baseUrl = parseUrl(base.trim(), pageUrl) ?? pageUrl;
  const images = names.imageUrl.flatMap((name) => imageUrlOf(metas.get(name), baseUrl));
  return {
    title: shown,
    description: toLine(textOf('description') ?? '', maxPreviewDescription) || null,
    imageUrl: images[0] ?? null,
  };
}

function imageUrlOf(text: string | undefined, base: URL): string[] {
  const url = text === undefined ? undefined : parseUrl(text.trim(), base);
  if (url?.username !== '' || url.password !== '') return [];
  return imageUrl.safeParse(url.href).success ? [url.href] : [];
}

// As in texts of requests. Marks of direction would be shown to visitors as code points.
const notForDisplay = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Returns a text as one line of at most `max` characters. */
function toLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').replace(notForDisplay, '').trim();
  const characters = [...line];
  const shortened = characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : line;
  // Storage refuses unpaired surrogates.
  return Buffer.from(shortened).toString();
}
