import { describe, expect, it } from 'vitest';
import { decideScan, type Scan, type ScanFacts, scanEvidence } from './decide-scan.js';

const { dedicatedScanner, inApp, referrer, imageSearch, ownNavigation } = scanEvidence;

const phone: ScanFacts = {
  deviceType: 'mobile',
  os: 'iOS',
  scannerApp: null,
  evidence: ownNavigation,
};
const desktop: ScanFacts = { ...phone, deviceType: 'desktop', os: 'Windows' };
const scanner = { scannerApp: 'QR scanner', evidence: dedicatedScanner | inApp | ownNavigation };
const weChat = { scannerApp: 'WeChat', evidence: inApp | ownNavigation };
const withinApp = { evidence: inApp | ownNavigation };
const lens = { evidence: referrer | imageSearch };
const fromPage = { evidence: referrer };

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
  it.each<[string, ScanFacts, Scan]>([
    ['by an iPhone', phone, camera('iOS Camera')],
    ['by an Android phone', { ...phone, os: 'Android' }, camera('Android Camera')],
    ['by a phone that came from a page', { ...phone, ...fromPage }, camera('iOS Camera')],
    ['typed on a desktop', desktop, typed],
    ['by a scanner app', { ...phone, ...scanner }, app('QR scanner')],
    ["by an app's own scanner", { ...phone, ...weChat }, app('WeChat')],
    ['within an app that reads none', { ...phone, ...withinApp }, camera('iOS Camera')],
    ['by a picture on a phone', { ...phone, ...lens }, upload],
  ])('%s', (_what, facts, scan) => {
    expect(decideScan(true, facts)).toEqual(scan);
  });
});

describe('a visit of a URL without a custom slug is a scan by its evidence', () => {
  it.each<[string, ScanFacts, Scan]>([
    ['a phone that opened it by itself', phone, inferred(camera('iOS Camera'))],
    ['a scanner app', { ...phone, ...scanner }, app('QR scanner')],
    ['a scanner app on no phone', { ...desktop, ...scanner }, app('QR scanner')],
    ["an app's own scanner", { ...phone, ...weChat }, inferred(app('WeChat'))],
    ['Lens on a phone', { ...phone, ...lens }, upload],
  ])('%s', (_what, facts, scan) => {
    expect(decideScan(false, facts)).toEqual(scan);
  });

  it.each<[string, ScanFacts]>([
    ['a desktop', desktop],
    ['a phone that came from a page', { ...phone, ...fromPage }],
    ['a phone whose page hides its address', { ...phone, evidence: 0 }],
    ['a tap within an app that reads no codes', { ...phone, ...withinApp }],
    [
      'a tap within an app that does, on a page',
      { ...phone, ...weChat, evidence: inApp | referrer },
    ],
    ['a television', { ...phone, deviceType: 'other', os: 'Tizen' }],
  ])('%s is no scan', (_what, facts) => {
    expect(decideScan(false, facts)).toBeNull();
  });
});
