import { parseAccept } from '../parse-accept.js';
import { de } from './strings/de.js';
import { en, type Strings } from './strings/en.js';
import { es } from './strings/es.js';
import { fr } from './strings/fr.js';
import { it } from './strings/it.js';
import { ja } from './strings/ja.js';
import { nl } from './strings/nl.js';
import { pl } from './strings/pl.js';
import { pt } from './strings/pt.js';
import { zh } from './strings/zh.js';

/** The languages of visitors' pages, by their codes of ISO 639. */
export const languages: Readonly<Record<string, Strings>> = {
  de,
  en,
  es,
  fr,
  it,
  ja,
  nl,
  pl,
  pt,
  zh,
};

/** Returns the texts in the language that `Accept-Language` prefers, or else in English. */
export function stringsFor(acceptLanguage: string | undefined): Strings {
  const ranges = parseAccept(acceptLanguage).filter(({ quality }) => quality > 0);
  const codes = ranges
    .sort((a, b) => b.quality - a.quality)
    // A browser of Austria asks for de-AT.
    .map(({ range }) => range.replace(/-.*/, ''));
  const code = codes.find((each) => each === '*' || Object.hasOwn(languages, each));
  return languages[code ?? ''] ?? en;
}
