import type { AgentFacts } from './parse-agent.js';

/** Bit flags: the evidence of a scan in a request. They are stored with each visit and read by reports. */
export const scanEvidence = {
  /** The user agent is an app that only reads QR codes. */
  dedicatedScanner: 1,
  inApp: 2,
  referrer: 4,
  imageSearch: 8,
  /** `Sec-Fetch-Site` is `none` or absent: no page caused the request. */
  ownNavigation: 16,
} as const;

export const scanMethods = ['camera', 'file_upload', 'manual_entry', 'app_scanner'] as const;

export interface Scan {
  readonly scanMethod: (typeof scanMethods)[number];
  /** Null when the app is unknown. */
  readonly scannerApp: string | null;
  /**
   * True when only a scan explains the visit. A phone sends the same request for a tap on the link in
   * a message, so other scans are inferred.
   */
  readonly isProven: boolean;
}

export type ScanFacts = Pick<AgentFacts, 'deviceType' | 'os' | 'scannerApp'> & {
  /** Bits of `scanEvidence`. */
  readonly evidence: number;
};

/**
 * Classifies a visit by short code of a URL that has a QR code. Returns null when it is not a scan.
 * People share a URL by its custom slug, so a visit by short code comes from a QR code. Without a
 * slug, the request must show evidence.
 */
export function decideScan(hasSlug: boolean, facts: ScanFacts): Scan | null {
  const isProven =
    hasSlug || hasEvidence(facts, 'dedicatedScanner') || hasEvidence(facts, 'imageSearch');
  if (!isProven && !looksScanned(facts)) return null;
  if (facts.scannerApp !== null) {
    return { scanMethod: 'app_scanner', scannerApp: facts.scannerApp, isProven };
  }
  if (hasEvidence(facts, 'imageSearch')) {
    return { scanMethod: 'file_upload', scannerApp: null, isProven };
  }
  if (facts.deviceType === 'desktop' && !hasEvidence(facts, 'referrer')) {
    return { scanMethod: 'manual_entry', scannerApp: null, isProven };
  }
  const isPhone = facts.os === 'iOS' || facts.os === 'Android';
  return { scanMethod: 'camera', scannerApp: isPhone ? `${facts.os} Camera` : 'Camera', isProven };
}

function looksScanned(facts: ScanFacts): boolean {
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
