const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Characters that HTML forbids: controls and lone surrogates.
const forbidden = /(?![\t\n\r])\p{Cc}|\p{Cs}/gu;

/** Escaped HTML, created by {@link html} only. */
export class Markup {
  readonly #source: string;

  constructor(parts: readonly string[], values: readonly Value[]) {
    this.#source = parts
      .map((part, index) => (index === 0 ? part : `${toSource(values[index - 1])}${part}`))
      .join('');
  }

  toString(): string {
    return this.#source;
  }
}

export type Value = string | number | Markup | undefined | readonly Value[];

/** Template tag for HTML. Escapes every value except Markup. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts, values);
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll(forbidden, '\u{fffd}')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

function toSource(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(toSource).join('');
  return escapeHtml(String(value));
}
