import { html, type Page, pageRenderer, webAddressOf } from './page.js';
import en from './strings/en.json' with { type: 'json' };

interface PreviewedLink {
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly shortUrl: string;
  /** Where people are redirected. */
  readonly location: string;
}

// Programs could take the operator's logo for the picture of the link.
const render = pageRenderer({}, en);

/**
 * Renders the page that programs of messengers and social networks read. It names the short URL as its
 * address, because they read the address that a page names, and would show the preview of the target.
 */
export function previewPage({
  title,
  description,
  imageUrl,
  shortUrl,
  location,
}: PreviewedLink): Page {
  const shown = withoutMarks(title);
  const text = description === null ? '' : withoutMarks(description);
  const image = imageUrl === null ? '' : new URL(imageUrl).href;
  // Where the target has a user name in its address, the text does not show it as its host.
  const target = webAddressOf(location) ?? location;
  const metas = [
    ['property', 'og:type', 'website'],
    ['property', 'og:url', shortUrl],
    ['property', 'og:title', shown],
    ['property', 'og:description', text],
    ['property', 'og:image', image],
    ['name', 'description', text],
    ['name', 'twitter:card', image === '' ? 'summary' : 'summary_large_image'],
    ['name', 'twitter:title', shown],
    ['name', 'twitter:description', text],
    ['name', 'twitter:image', image],
  ] as const;
  const tags = metas
    .filter(([, , content]) => content !== '')
    .map(([by, name, content]) => html`<meta ${by}="${name}" content="${content}">`);
  const paragraph = text === '' ? '' : html`<p>${text}</p>\n`;
  return render(
    shown,
    html`<h1>${shown}</h1>
${paragraph}<p><a href="${location}" rel="noreferrer nofollow">${target}</a></p>`,
    [html`<link rel="canonical" href="${shortUrl}">`, ...tags],
  );
}

/** Removes the marks of the direction of text. `html` would show them as code points. */
function withoutMarks(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '');
}
