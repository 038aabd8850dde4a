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
  const tags = [
    html`<link rel="canonical" href="${shortUrl}">`,
    html`<meta property="og:type" content="website">`,
    html`<meta property="og:url" content="${shortUrl}">`,
    html`<meta property="og:title" content="${shown}">`,
    html`<meta name="twitter:card" content="${image === '' ? 'summary' : 'summary_large_image'}">`,
    html`<meta name="twitter:title" content="${shown}">`,
  ];
  if (text !== '') {
    tags.push(
      html`<meta name="description" content="${text}">`,
      html`<meta property="og:description" content="${text}">`,
      html`<meta name="twitter:description" content="${text}">`,
    );
  }
  if (image !== '') {
    tags.push(
      html`<meta property="og:image" content="${image}">`,
      html`<meta name="twitter:image" content="${image}">`,
    );
  }
  const paragraph = text === '' ? '' : html`<p>${text}</p>\n`;
  return render(
    shown,
    html`<h1>${shown}</h1>
${paragraph}<p><a href="${location}" rel="noreferrer nofollow">${target}</a></p>`,
    tags,
  );
}

/** Removes the marks of the direction of text. `html` would show them as code points. */
function withoutMarks(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '');
}
