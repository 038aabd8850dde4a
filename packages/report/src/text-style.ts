const codes = {
  strong: [1, 22],
  faint: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Functions that add a color or another attribute to a text. */
export type TextStyle = Readonly<Record<keyof typeof codes, (text: string) => string>>;

const plain = styleOf((text) => text);
const colored = styleOf((text, [start, end]) =>
  text === '' ? '' : `\u001b[${start}m${text}\u001b[${end}m`,
);

export function textStyle(hasColor: boolean): TextStyle {
  return hasColor ? colored : plain;
}

function styleOf(apply: (text: string, code: readonly [number, number]) => string): TextStyle {
  return {
    strong: (text) => apply(text, codes.strong),
    faint: (text) => apply(text, codes.faint),
    red: (text) => apply(text, codes.red),
    green: (text) => apply(text, codes.green),
    yellow: (text) => apply(text, codes.yellow),
    cyan: (text) => apply(text, codes.cyan),
  };
}
