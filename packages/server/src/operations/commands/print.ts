export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints records as JSON, or in columns under a header. */
export function printRecords<Row>(
  json: boolean | undefined,
  records: readonly Row[],
  header: readonly string[],
  toCells: (record: Row) => readonly string[],
): void {
  if (json) {
    print(JSON.stringify(records));
    return;
  }
  const lines = [header, ...records.map(toCells)];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
