const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant of the API, in the time zone and the language of the browser. */
export function Time({ at }: { readonly at: string | null }) {
  return at === null ? <>never</> : <time datetime={at}>{format.format(new Date(at))}</time>;
}
