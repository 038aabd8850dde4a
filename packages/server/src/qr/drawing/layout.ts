import type { Box } from './logo-place.js';
import type { ModuleGrid } from './module-grid.js';
import type { QrMatrix } from './qr-matrix.js';

/** What a design comes to in modules, before any pixel is drawn. */
export interface Layout {
  readonly matrix: QrMatrix;
  readonly grid: ModuleGrid;
  /** Where the logo lies, in pixels. */
  readonly logoBox: Box | undefined;
}
