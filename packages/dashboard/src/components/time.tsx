const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant of the API, in the time zone and the language of the browser. */
export function Time({
  at,
  none = 'never',
}: {
  readonly at: string | null;
  readonly none?: string;
}) {
  return at === null ? (
    <span>{none}</span>
  ) : (
    <time datetime={at}>{format.format(new Date(at))}</time>
  );
}
