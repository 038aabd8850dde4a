const codes = { strong: [1, 22], faint: [2, 22], cyan: [36, 39] } as const;

/** Functions that add a color or another attribute to a text. */
export type TextStyle = Readonly<Record<keyof typeof codes, (text: string) => string>>;

export function textStyle(hasColor: boolean): TextStyle {
  const apply =
    ([start, end]: readonly [number, number]) =>
    (text: string) =>
      hasColor && text !== '' ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return { strong: apply(codes.strong), faint: apply(codes.faint), cyan: apply(codes.cyan) };
}
