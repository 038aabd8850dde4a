const eighthsAcross = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;
const eighthsUp = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Renders a horizontal bar of up to `width` columns. A count above 0 is always visible. */
export function barText(value: number, max: number, width: number): string {
  const eighths = toEighths(value, max, width);
  return '█'.repeat(Math.floor(eighths / 8)) + (eighthsAcross[eighths % 8] ?? '');
}

/**
 * Renders vertical bars as lines from top to bottom. Each bar is `barWidth` columns wide, with `gap`
 * columns between bars.
 */
export function columnChart(
  values: readonly number[],
  { height, barWidth = 1, gap = 0 }: ColumnChartShape,
): string[] {
  const max = Math.max(0, ...values);
  const bars = values.map((value) => toEighths(value, max, height));
  return Array.from({ length: height }, (_, index) => {
    const below = (height - 1 - index) * 8;
    return bars
      .map((eighths) => {
        const inRow = Math.max(0, Math.min(8, eighths - below));
        return (eighthsUp[inRow] ?? ' ').repeat(barWidth);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  });
}

export interface ColumnChartShape {
  /** In lines. */
  readonly height: number;
  readonly barWidth?: number;
  readonly gap?: number;
}

function toEighths(value: number, max: number, length: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.max(1, Math.round((Math.min(value, max) / max) * length * 8));
}
