import { toDomainRecord } from '../domains/domain-repository.js';
import type { EventType } from '../events/event-types.js';
import { toQrRecord } from '../qr/qr-repository.js';
import { newUrl } from '../urls/change-url.js';
import { toRecord } from '../urls/present-url.js';
import type { EventData } from './event-contract.js';

export const zeros = '00000000-0000-7000-8000-000000000000';
const now = Date.UTC(2030, 0, 1);
export const exampleTime = new Date(now).toISOString();
const origins = { scheme: 'https://', shortDomain: 'sho.example' };

const body = { targetUrl: 'https://example.com/', title: 'An example: nothing has happened' };
const link = newUrl(
  { body, passwordHash: null },
  { id: 0, organizationId: zeros, shortCode: 'example', hostname: null },
  now,
);
const url = toRecord(origins, link, now);

const qr = toQrRecord({
  id: zeros,
  urlId: 0,
  organizationId: zeros,
  qrData: 'https://sho.example/example',
  format: 'png',
  size: 512,
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#FFFFFF',
  background: 'solid',
  margin: 4,
  logoUrl: null,
  stylePreset: 'default',
  downloadCount: 0,
  scanCount: 0,
  createdAt: now,
  updatedAt: now,
});

/** The data of test deliveries. The ids are zeros, so they belong to no record. */
export const eventExamples: { readonly [Type in EventType]: EventData<Type> } = {
  'url.created': url,
  'url.updated': url,
  'url.deleted': { ...url, isActive: false, deletedAt: exampleTime, isErased: false },
  'url.restored': url,
  'url.clicked': {
    visits: [
      {
        urlId: '0',
        shortCode: 'example',
        customSlug: null,
        shortUrl: 'https://sho.example/example',
        visitedAt: exampleTime,
        method: 'click',
        country: 'DE',
        deviceType: 'mobile',
        browser: 'Firefox',
        os: 'Android',
        referrerDomain: '(direct)',
        referrerType: 'direct',
      },
    ],
  },
  'url.click_threshold': { id: '0', shortCode: 'example', threshold: 100, count: 100 },
  'url.expired': { ...url, isActive: false, expiresAt: exampleTime },
  'qr.created': qr,
  'qr.scan_threshold': { id: zeros, shortCode: 'example', threshold: 100, count: 100 },
  'qr.deleted': qr,
  'domain.verified': toDomainRecord({
    id: zeros,
    hostname: 'go.example.com',
    organizationId: zeros,
    challenge: 'shorty-verification=example',
    isActive: true,
    createdAt: now,
    updatedAt: now,
    verifiedAt: now,
    lastCheckedAt: now,
    lastError: null,
    rootUrl: null,
    notFoundUrl: null,
    expiredUrl: null,
    ignoreCase: false,
    forwardQuery: false,
    forwardPath: false,
    appleAppSiteAssociation: null,
    assetLinks: null,
  }),
  'webhook.disabled': {
    id: zeros,
    url: 'https://example.com/hooks/old',
    disabledAt: exampleTime,
    disabledReason: 'failing',
    failingSince: exampleTime,
    lastSuccessAt: null,
  },
};
