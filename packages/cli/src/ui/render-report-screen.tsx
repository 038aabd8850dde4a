import { renderToString } from 'ink';
import type { Report } from '../analytics/report-model.js';
import { ReportScreen } from './report-screen.js';

/** Renders a report as text for a terminal or a file. */
export function renderReportScreen(
  report: Report,
  { width, hasColor }: { readonly width: number; readonly hasColor: boolean },
): string {
  const screen = <ReportScreen report={report} width={width} hasColor={hasColor} />;
  const lines = renderToString(screen, { columns: width }).split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
