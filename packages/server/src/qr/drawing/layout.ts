import type { Box } from './logo-area.js';
import type { ModuleGrid } from './module-grid.js';
import type { QrMatrix } from './qr-matrix.js';

/** The modules of a design and the position of every part. */
export interface Layout {
  readonly matrix: QrMatrix;
  readonly grid: ModuleGrid;
  /** The logo's position in pixels. */
  readonly logoBox: Box | undefined;
}
