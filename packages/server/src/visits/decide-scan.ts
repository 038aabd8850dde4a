import type { AgentFacts } from './parse-agent.js';

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
export type ScanEvidence = Pick<
  AgentFacts,
  'deviceType' | 'os' | 'scannerApp' | 'isDedicatedScanner' | 'isInApp'
> & {
  /** No `Referer` that names a page. */
  readonly hasReferrer: boolean;
  /** The `Referer` is one of a search by image. */
  readonly isImageSearch: boolean;
  /** `Sec-Fetch-Site` is `none` or absent: no page asked for it. */
  readonly isOwnNavigation: boolean;
};

/**
 * The scan that a visit was, or null. A link with a slug is shared by it, so that its code can only
 * come from a QR code; without a slug the request itself has to tell.
 */
export function decideScan(link: ScannedLink, evidence: ScanEvidence): Scan | null {
  if (!link.hasQr || !link.isByCode) return null;
  if (!link.hasSlug && !looksScanned(evidence)) return null;
  if (evidence.scannerApp !== null) {
    return { scanMethod: 'app_scanner', scannerApp: evidence.scannerApp };
  }
  if (evidence.isImageSearch) return { scanMethod: 'file_upload', scannerApp: null };
  if (evidence.deviceType === 'desktop' && !evidence.hasReferrer) {
    return { scanMethod: 'manual_entry', scannerApp: null };
  }
  return { scanMethod: 'camera', scannerApp: cameraOf(evidence.os) };
}

function looksScanned(evidence: ScanEvidence): boolean {
  if (evidence.isDedicatedScanner || evidence.isImageSearch) return true;
  const isHandheld = evidence.deviceType === 'mobile' || evidence.deviceType === 'tablet';
  // Within an app that reads no codes, a link without a referrer was tapped in that app.
  const isTapped = evidence.isInApp && evidence.scannerApp === null;
  return isHandheld && !evidence.hasReferrer && evidence.isOwnNavigation && !isTapped;
}

function cameraOf(os: string): string {
  return os === 'iOS' || os === 'Android' ? `${os} Camera` : 'Camera';
}
