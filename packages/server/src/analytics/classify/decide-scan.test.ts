import { describe, expect, it } from 'vitest';
import { decideScan, type Scan, type ScanFacts, scanEvidence } from './decide-scan.js';

interface TestFacts extends Pick<ScanFacts, 'deviceType' | 'os' | 'scannerApp'> {
  readonly isDedicatedScanner: boolean;
  readonly isInApp: boolean;
  readonly hasReferrer: boolean;
  readonly isImageSearch: boolean;
  readonly isOwnNavigation: boolean;
}

function decide(hasSlug: boolean, facts: TestFacts): Scan | null {
  const { deviceType, os, scannerApp } = facts;
  const evidence =
    (facts.isDedicatedScanner ? scanEvidence.dedicatedScanner : 0) |
    (facts.isInApp ? scanEvidence.inApp : 0) |
    (facts.hasReferrer ? scanEvidence.referrer : 0) |
    (facts.isImageSearch ? scanEvidence.imageSearch : 0) |
    (facts.isOwnNavigation ? scanEvidence.ownNavigation : 0);
  return decideScan(hasSlug, { deviceType, os, scannerApp, evidence });
}

const phone: TestFacts = {
  deviceType: 'mobile',
  os: 'iOS',
  scannerApp: null,
  isDedicatedScanner: false,
  isInApp: false,
  hasReferrer: false,
  isImageSearch: false,
  isOwnNavigation: true,
};
const desktop: TestFacts = { ...phone, deviceType: 'desktop', os: 'Windows' };
const qrScanner = { scannerApp: 'QR scanner', isDedicatedScanner: true, isInApp: true };
const weChat = { scannerApp: 'WeChat', isInApp: true };
const lens = { hasReferrer: true, isImageSearch: true, isOwnNavigation: false };
const fromPage = { hasReferrer: true, isOwnNavigation: false };

const camera = (scannerApp: string): Scan => ({
  scanMethod: 'camera',
  scannerApp,
  isProven: true,
});
const app = (scannerApp: string): Scan => ({
  scanMethod: 'app_scanner',
  scannerApp,
  isProven: true,
});
const upload: Scan = { scanMethod: 'file_upload', scannerApp: null, isProven: true };
const typed: Scan = { scanMethod: 'manual_entry', scannerApp: null, isProven: true };
const inferred = (scan: Scan): Scan => ({ ...scan, isProven: false });

describe('a visit by short code of a URL with a custom slug is a scan', () => {
  it.each<[string, TestFacts, Scan]>([
    ['by an iPhone', phone, camera('iOS Camera')],
    ['by an Android phone', { ...phone, os: 'Android' }, camera('Android Camera')],
    ['by a phone that came from a page', { ...phone, ...fromPage }, camera('iOS Camera')],
    ['typed on a desktop', desktop, typed],
    ['by a scanner app', { ...phone, ...qrScanner }, app('QR scanner')],
    ["by an app's own scanner", { ...phone, ...weChat }, app('WeChat')],
    ['within an app that reads none', { ...phone, isInApp: true }, camera('iOS Camera')],
    ['by a picture on a phone', { ...phone, ...lens }, upload],
  ])('%s', (_what, evidence, scan) => {
    expect(decide(true, evidence)).toEqual(scan);
  });
});

describe('a visit of a URL without a custom slug is a scan by its evidence', () => {
  it.each<[string, TestFacts, Scan]>([
    ['a phone that opened it by itself', phone, inferred(camera('iOS Camera'))],
    ['a scanner app', { ...phone, ...qrScanner }, app('QR scanner')],
    ['a scanner app on no phone', { ...desktop, ...qrScanner }, app('QR scanner')],
    ["an app's own scanner", { ...phone, ...weChat }, inferred(app('WeChat'))],
    ['Lens on a phone', { ...phone, ...lens }, upload],
  ])('%s', (_what, evidence, scan) => {
    expect(decide(false, evidence)).toEqual(scan);
  });

  it.each<[string, TestFacts]>([
    ['a desktop', desktop],
    ['a phone that came from a page', { ...phone, ...fromPage }],
    ['a phone whose page hides its address', { ...phone, isOwnNavigation: false }],
    ['a tap within an app that reads no codes', { ...phone, isInApp: true }],
    ['a tap within an app that does, on a page', { ...phone, ...weChat, ...fromPage }],
    ['a television', { ...phone, deviceType: 'other', os: 'Tizen' }],
  ])('%s is no scan', (_what, evidence) => {
    expect(decide(false, evidence)).toBeNull();
  });
});
