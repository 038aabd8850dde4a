/** The progress of an import. The reporter updates it in place, and the live view reads it. */
export interface ImportProgress {
  bytesRead: number;
  /** The position at which this run started; undefined until its first chunk is completed. */
  bytesBefore: number | undefined;
  readonly bytesTotal: number;
  /** Completed rows, including those of earlier runs. */
  rows: number;
  created: number;
  failed: number;
  /** Rows of this run whose links existed already. */
  replayed: number;
  /** Rows completed before this run. */
  rowsBefore: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Set while requests are being retried. */
  retrying: { readonly reason: string; readonly since: number } | undefined;
}

/** Rows a second in this run. */
export function rowsPerSecond(progress: ImportProgress, now: number): number {
  const seconds = (now - progress.startedAt) / 1000;
  return seconds <= 0 ? 0 : (progress.rows - progress.rowsBefore) / seconds;
}

/** Estimates the remaining milliseconds from the remaining bytes; undefined without enough data. */
export function timeLeftMs(progress: ImportProgress, now: number): number | undefined {
  const { bytesRead, bytesBefore, bytesTotal, startedAt, retrying } = progress;
  const done = bytesRead - (bytesBefore ?? bytesRead);
  const elapsed = now - startedAt;
  if (done <= 0 || elapsed < 500 || retrying) return undefined;
  return ((bytesTotal - bytesRead) / done) * elapsed;
}
