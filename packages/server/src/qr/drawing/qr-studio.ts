import { readLogo } from '../logo/read-logo.js';
import { drawLayout, layOut } from './draw-design.js';
import { LogoScaler } from './logo-scaler.js';
import { proveDesign } from './prove-design.js';
import type { QrDesign, QrLogo } from './qr-design.js';
import { QrStudioThread } from './qr-studio-thread.js';

/** Draws QR codes. A design that cannot be drawn, or not read again, is a `QrDesignError`. */
export interface QrStudio {
  draw(design: QrDesign): Promise<Uint8Array>;
  /** Draws, and refuses what a decoder does not read back byte for byte. */
  prove(design: QrDesign): Promise<Uint8Array>;
  /** Makes a logo of an image's bytes, whoever sent them. */
  readLogo(bytes: Uint8Array): Promise<QrLogo>;
  stop(): Promise<void>;
}

/** In the thread that calls. */
export class InlineQrStudio implements QrStudio {
  readonly #scaler = new LogoScaler();

  async draw(design: QrDesign): Promise<Uint8Array> {
    return drawLayout(design, layOut(design), this.#scaler);
  }

  prove(design: QrDesign): Promise<Uint8Array> {
    return proveDesign(design, this.#scaler);
  }

  readLogo(bytes: Uint8Array): Promise<QrLogo> {
    return readLogo(bytes);
  }

  async stop(): Promise<void> {}
}

export function openQrStudio({ isThreaded }: { readonly isThreaded: boolean }): QrStudio {
  return isThreaded ? new QrStudioThread() : new InlineQrStudio();
}
