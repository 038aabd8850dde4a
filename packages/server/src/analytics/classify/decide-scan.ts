import type { AgentFacts } from './parse-agent.js';
import { scanEvidence } from './scan-evidence.js';

export type ScanMethod = 'camera' | 'file_upload' | 'manual_entry' | 'app_scanner';

export interface Scan {
  readonly scanMethod: ScanMethod;
  /** Null when the app is unknown. */
  readonly scannerApp: string | null;
}

/** The visited URL, and whether the visit was by its short code. */
export interface ScannedLink {
  /** True when a QR code of the URL existed at the time of the visit. */
  readonly hasQr: boolean;
  readonly hasSlug: boolean;
  /** True when the visit was by the short code, which QR codes contain, and not by the custom slug. */
  readonly isByCode: boolean;
}

/** The facts of a visit that decide whether it is a scan. */
export type ScanFacts = Pick<AgentFacts, 'deviceType' | 'os' | 'scannerApp'> & {
  /** Bits of `scanEvidence`. */
  readonly evidence: number;
};

/**
 * Classifies a visit as a scan; returns null when it is not one. People share a URL by its custom
 * slug, so a visit by short code comes from a QR code. Without a slug, the request must show evidence.
 */
export function decideScan(link: ScannedLink, facts: ScanFacts): Scan | null {
  if (!link.hasQr || !link.isByCode) return null;
  if (!link.hasSlug && !looksScanned(facts)) return null;
  if (facts.scannerApp !== null) {
    return { scanMethod: 'app_scanner', scannerApp: facts.scannerApp };
  }
  if (hasEvidence(facts, 'imageSearch')) return { scanMethod: 'file_upload', scannerApp: null };
  if (facts.deviceType === 'desktop' && !hasEvidence(facts, 'referrer')) {
    return { scanMethod: 'manual_entry', scannerApp: null };
  }
  return { scanMethod: 'camera', scannerApp: cameraNameOf(facts.os) };
}

function looksScanned(facts: ScanFacts): boolean {
  if (hasEvidence(facts, 'dedicatedScanner') || hasEvidence(facts, 'imageSearch')) return true;
  const isHandheld = facts.deviceType === 'mobile' || facts.deviceType === 'tablet';
  // In an app that reads no QR codes, a visit without a referrer is a tap on a link.
  const isTapped = hasEvidence(facts, 'inApp') && facts.scannerApp === null;
  return (
    isHandheld &&
    !hasEvidence(facts, 'referrer') &&
    hasEvidence(facts, 'ownNavigation') &&
    !isTapped
  );
}

function hasEvidence({ evidence }: ScanFacts, name: keyof typeof scanEvidence): boolean {
  return (evidence & scanEvidence[name]) !== 0;
}

function cameraNameOf(os: string): string {
  return os === 'iOS' || os === 'Android' ? `${os} Camera` : 'Camera';
}
