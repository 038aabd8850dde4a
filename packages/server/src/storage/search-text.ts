/** The fields of a link that `GET /api/v1/urls?search=` compares. */
export interface SearchedFields {
  readonly title: string | null;
  readonly target_url: string;
  readonly custom_slug: string | null;
  readonly short_code: string;
  readonly description: string | null;
  /** As stored: each tag between line breaks. */
  readonly tags: string;
}

// Folding replaces it with a space, so that no search term matches across two fields.
const separator = '\n';
// Most texts match. They only need lower case, because the other steps do not change them.
const printableAscii = /^[ -~]*$/;
// SQLite's `like` reads these as the replacement character. PostgreSQL stores no NUL.
const notCharacters = /[\uFFFE\uFFFF]/g;

/**
 * Returns the text that searches compare with the term, stored in `urls.search_text`. The case is
 * folded here and not by the engine, so that SQLite and PostgreSQL find the same links.
 */
export function searchTextOf(fields: SearchedFields): string {
  const { title, target_url, custom_slug, short_code, description, tags } = fields;
  const optional = [description ?? '', ...tags.split('\n')].filter((text) => text !== '');
  return [title ?? '', target_url, custom_slug ?? '', short_code, ...optional]
    .map(foldText)
    .join(separator);
}

/**
 * Folds the case of every script, and normal forms: `STRASSE`, `Straße` and `STRAẞE` become the same
 * text. Apart from combining marks, each part of a text folds independently of its neighbours, so a
 * search also finds it inside a longer text. The lower case of a final sigma depends on its neighbours, so it becomes an ordinary sigma.
 */
export function foldText(text: string): string {
  if (printableAscii.test(text)) return text.toLowerCase();
  const plain = text
    .toWellFormed()
    .normalize('NFD')
    .replaceAll('\0', '\uFFFD')
    .replaceAll(notCharacters, '\uFFFD')
    .replaceAll(separator, ' ');
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize();
}
