import type { AgentFacts } from './parse-agent.js';
import { scanEvidence } from './scan-evidence.js';

export type ScanMethod = 'camera' | 'file_upload' | 'manual_entry' | 'app_scanner';

export interface Scan {
  readonly scanMethod: ScanMethod;
  /** Null where no app can be named. */
  readonly scannerApp: string | null;
}

/** What the link that was visited is, and how it was named. */
export interface ScannedLink {
  /** It has a QR code that is not deleted. */
  readonly hasQr: boolean;
  readonly hasSlug: boolean;
  /** By its code, which a QR code carries, and not by its slug. */
  readonly isByCode: boolean;
}

/** What a scan leaves in a request. */
export type ScanTraces = Pick<AgentFacts, 'deviceType' | 'os' | 'scannerApp'> & {
  /** Bits of `scanEvidence`. */
  readonly evidence: number;
};

/**
 * The scan that a visit was, or null. A link with a slug is shared by it, so that its code can only
 * come from a QR code; without a slug the request itself has to tell.
 */
export function decideScan(link: ScannedLink, traces: ScanTraces): Scan | null {
  if (!link.hasQr || !link.isByCode) return null;
  if (!link.hasSlug && !looksScanned(traces)) return null;
  if (traces.scannerApp !== null) {
    return { scanMethod: 'app_scanner', scannerApp: traces.scannerApp };
  }
  if (shows(traces, 'imageSearch')) return { scanMethod: 'file_upload', scannerApp: null };
  if (traces.deviceType === 'desktop' && !shows(traces, 'referrer')) {
    return { scanMethod: 'manual_entry', scannerApp: null };
  }
  return { scanMethod: 'camera', scannerApp: cameraOf(traces.os) };
}

function looksScanned(traces: ScanTraces): boolean {
  if (shows(traces, 'dedicatedScanner') || shows(traces, 'imageSearch')) return true;
  const isHandheld = traces.deviceType === 'mobile' || traces.deviceType === 'tablet';
  // Within an app that reads no codes, a link without a referrer was tapped in that app.
  const isTapped = shows(traces, 'inApp') && traces.scannerApp === null;
  return isHandheld && !shows(traces, 'referrer') && shows(traces, 'ownNavigation') && !isTapped;
}

function shows({ evidence }: ScanTraces, sign: keyof typeof scanEvidence): boolean {
  return (evidence & scanEvidence[sign]) !== 0;
}

function cameraOf(os: string): string {
  return os === 'iOS' || os === 'Android' ? `${os} Camera` : 'Camera';
}
