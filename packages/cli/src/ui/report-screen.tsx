import { Box, Text, type TextProps } from 'ink';
import {
  describeWindow,
  type Report,
  type Section,
  type Total,
} from '../analytics/report-model.js';
import { nothingCounted } from '../analytics/report-text.js';
import { sectionLines } from '../analytics/section-lines.js';
import { timeChart } from '../analytics/time-chart.js';
import { formatNumber, printable } from '../format.js';
import { displayWidth } from '../text-width.js';

const chartHeight = 10;
const gap = 4;
// Two sections are side by side when each has at least this many columns.
const narrowestColumn = 36;

const colored = {
  strong: { bold: true },
  faint: { dimColor: true },
  bar: { color: 'cyan' },
} satisfies Styles;
const plain: Styles = { strong: {}, faint: {}, bar: {} };

type Styles = Readonly<Record<'strong' | 'faint' | 'bar', TextProps>>;

interface Props {
  readonly report: Report;
  /** In columns. */
  readonly width: number;
  readonly hasColor: boolean;
}

export function ReportScreen({ report, width, hasColor }: Props) {
  const styles = hasColor ? colored : plain;
  return (
    <Box flexDirection="column" width={width} gap={1}>
      <Box flexDirection="column">
        <Text {...styles.strong} wrap="truncate">
          {printable(report.title)}
        </Text>
        <Text {...styles.faint} wrap="truncate">
          {describeWindow(report)}
        </Text>
      </Box>
      <Totals totals={report.totals} styles={styles} />
      <Series report={report} width={width} styles={styles} />
      <Sections report={report} width={width} styles={styles} />
    </Box>
  );
}

function Totals({
  totals,
  styles,
}: {
  readonly totals: readonly Total[];
  readonly styles: Styles;
}) {
  return (
    <Box flexWrap="wrap" columnGap={3} rowGap={1}>
      {totals.map(({ name, label, count }) => (
        <Box key={name} flexDirection="column" flexShrink={0}>
          <Text {...styles.strong}>{formatNumber(count)}</Text>
          <Text {...styles.faint}>{label}</Text>
        </Box>
      ))}
    </Box>
  );
}

interface PartProps {
  readonly report: Report;
  readonly width: number;
  readonly styles: Styles;
}

function Series({ report, width, styles }: PartProps) {
  const chart = timeChart(report, { width, height: chartHeight });
  if (!chart) return <Text>{nothingCounted('click')}</Text>;
  const rows = chart.rows.map((row, index) => ({ ...row, key: `${index}` }));
  return (
    <Box flexDirection="column">
      {rows.map(({ key, scale, bars }) => (
        <Text key={key} wrap="truncate">
          <Text {...styles.faint}>{scale}</Text>
          <Text {...styles.bar}>{bars}</Text>
        </Text>
      ))}
      <Text {...styles.faint} wrap="truncate">
        {chart.times}
      </Text>
      <Text {...styles.faint} wrap="truncate">
        {chart.legend}
      </Text>
    </Box>
  );
}

function Sections({ report, width, styles }: PartProps) {
  const { sections, totalClicks } = report;
  if (sections.every(({ rows }) => rows.length === 0)) return null;
  const half = Math.floor((width - gap) / 2);
  const columnWidth = half >= narrowestColumn ? half : width;
  return (
    <Box flexWrap="wrap" columnGap={gap} rowGap={1}>
      {sections.map((section) => (
        <Breakdown
          key={section.name}
          section={section}
          totalClicks={totalClicks}
          width={hasLongNames(section) ? width : columnWidth}
          styles={styles}
        />
      ))}
    </Box>
  );
}

function hasLongNames({ name }: Section): boolean {
  return name === 'top-url' || name === 'referrer';
}

interface BreakdownProps {
  readonly section: Section;
  readonly totalClicks: number;
  readonly width: number;
  readonly styles: Styles;
}

function Breakdown({ section, totalClicks, width, styles }: BreakdownProps) {
  const { title, rows } = section;
  const rule = '─'.repeat(Math.max(0, width - displayWidth(title) - 1));
  const lines = sectionLines(section, totalClicks, width).map((line, index) => ({
    ...line,
    key: `${index}`,
  }));
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Text>
        <Text {...styles.strong}>{title}</Text>
        <Text {...styles.faint}> {rule}</Text>
      </Text>
      {rows.length === 0 ? <Text {...styles.faint}>{nothingCounted('click')}</Text> : null}
      {lines.map(({ key, label, count, share, bar }) => (
        <Text key={key} wrap="truncate">
          {`${label}  ${count}  `}
          <Text {...styles.faint}>{share}</Text>
          <Text {...styles.bar}> {bar}</Text>
        </Text>
      ))}
    </Box>
  );
}
