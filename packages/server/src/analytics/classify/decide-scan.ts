import type { AgentFacts } from './parse-agent.js';
import { scanEvidence } from './scan-evidence.js';

export type ScanMethod = 'camera' | 'file_upload' | 'manual_entry' | 'app_scanner';

export interface Scan {
  readonly scanMethod: ScanMethod;
  /** Null when the app is unknown. */
  readonly scannerApp: string | null;
}

/** The visited URL, and the key of the visit. */
export interface ScannedLink {
  /** True when a QR code of the URL existed at the time of the visit. */
  readonly hasQr: boolean;
  readonly hasSlug: boolean;
  /** True when the visit was by the short code, which QR codes contain, and not by the custom slug. */
  readonly isByCode: boolean;
}

/** The facts of a visit that a scan shows in. */
export type ScanTraces = Pick<AgentFacts, 'deviceType' | 'os' | 'scannerApp'> & {
  /** Bits of `scanEvidence`. */
  readonly evidence: number;
};

/**
 * Returns the scan that a visit is, or null. People share a URL by its custom slug, so a visit by
 * short code comes from a QR code. Without a slug, the request must show evidence of a scan.
 */
export function decideScan(link: ScannedLink, traces: ScanTraces): Scan | null {
  if (!link.hasQr || !link.isByCode) return null;
  if (!link.hasSlug && !looksScanned(traces)) return null;
  if (traces.scannerApp !== null) {
    return { scanMethod: 'app_scanner', scannerApp: traces.scannerApp };
  }
  if (has(traces, 'imageSearch')) return { scanMethod: 'file_upload', scannerApp: null };
  if (traces.deviceType === 'desktop' && !has(traces, 'referrer')) {
    return { scanMethod: 'manual_entry', scannerApp: null };
  }
  return { scanMethod: 'camera', scannerApp: cameraOf(traces.os) };
}

function looksScanned(traces: ScanTraces): boolean {
  if (has(traces, 'dedicatedScanner') || has(traces, 'imageSearch')) return true;
  const isHandheld = traces.deviceType === 'mobile' || traces.deviceType === 'tablet';
  // In an app that reads no QR codes, a visit without a referrer is a tap on a link.
  const isTapped = has(traces, 'inApp') && traces.scannerApp === null;
  return isHandheld && !has(traces, 'referrer') && has(traces, 'ownNavigation') && !isTapped;
}

function has({ evidence }: ScanTraces, name: keyof typeof scanEvidence): boolean {
  return (evidence & scanEvidence[name]) !== 0;
}

function cameraOf(os: string): string {
  return os === 'iOS' || os === 'Android' ? `${os} Camera` : 'Camera';
}
