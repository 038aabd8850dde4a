import type { IncomingHttpHeaders } from 'node:http';
import { infoPage, type LinkInfo } from './info-page.js';
import { stringsFor } from './languages.js';
import { createLinkPages } from './link-pages.js';
import { type Brand, pageRenderer } from './page.js';
import { createQrPages } from './qr-pages.js';
import type { Strings } from './strings/en.js';

export type VisitorPages = ReturnType<typeof renderPages>;

/** Returns the pages in the language that a request prefers. */
export type PagesFor = (headers: IncomingHttpHeaders) => VisitorPages;

/** Returns a function that renders the pages of a language when they are first needed. */
export function createVisitorPages(brand: Brand): PagesFor {
  const rendered = new Map<Strings, VisitorPages>();
  return (headers) => {
    const strings = stringsFor(headers['accept-language']);
    const pages = rendered.get(strings) ?? renderPages(brand, strings);
    rendered.set(strings, pages);
    return pages;
  };
}

function renderPages(brand: Brand, strings: Strings) {
  const render = pageRenderer(brand, strings);
  return {
    ...createLinkPages(render, strings, brand.pagesName),
    ...createQrPages(render, strings),
    info: (info: LinkInfo) => infoPage(render, strings, info),
  };
}
