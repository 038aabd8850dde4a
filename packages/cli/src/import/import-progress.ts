/** How an import is going, for whoever wants to look. Changed in place; read at leisure. */
export interface ImportProgress {
  bytesRead: number;
  /** Where this run began; undefined until its first rows are done. */
  bytesBefore: number | undefined;
  readonly bytesTotal: number;
  /** Rows whose outcome is known, those of earlier runs included. */
  rows: number;
  created: number;
  failed: number;
  /** Rows of this run that the server had already made. */
  replayed: number;
  /** Rows that were done before this run. */
  rowsBefore: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Set while requests are being repeated. */
  retrying: { readonly reason: string; readonly since: number } | undefined;
}

/** Rows a second in this run. */
export function rowsPerSecond(progress: ImportProgress, now: number): number {
  const seconds = (now - progress.startedAt) / 1000;
  return seconds <= 0 ? 0 : (progress.rows - progress.rowsBefore) / seconds;
}

/** Milliseconds to go, by the bytes that are left; undefined before anything can be told. */
export function timeLeftMs(progress: ImportProgress, now: number): number | undefined {
  const { bytesRead, bytesBefore, bytesTotal, startedAt, retrying } = progress;
  const done = bytesRead - (bytesBefore ?? bytesRead);
  const elapsed = now - startedAt;
  if (done <= 0 || elapsed < 500 || retrying) return undefined;
  return ((bytesTotal - bytesRead) / done) * elapsed;
}
