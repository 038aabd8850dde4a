import type { EventType } from '../events/event-types.js';
import type { EventData } from './event-contract.js';

const organization = '00000000-0000-7000-8000-000000000000';
const createdAt = '2030-01-01T00:00:00.000Z';

const url: EventData<'url.created'> = {
  id: '0',
  shortCode: 'example',
  targetUrl: 'https://example.com/',
  customSlug: null,
  shortUrl: 'https://sho.example/example',
  organizationId: organization,
  title: 'An example: nothing has happened',
  description: null,
  category: null,
  tags: [],
  domainId: null,
  redirectType: 307,
  expiresAt: null,
  isPasswordProtected: false,
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
  customUtmParams: {},
  sourceDomain: null,
  isActive: true,
  clickCount: 0,
  createdAt,
  updatedAt: createdAt,
};

const qr: EventData<'qr.created'> = {
  id: organization,
  urlId: '0',
  organizationId: organization,
  qrData: 'https://sho.example/example',
  format: 'png',
  size: 512,
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#FFFFFF',
  logoUrl: null,
  stylePreset: 'default',
  downloadCount: 0,
  scanCount: 0,
  downloadUrl: `/api/qr/${organization}/download`,
  previewUrl: `/qr/${organization}`,
  createdAt,
  updatedAt: createdAt,
};

/** The data of test deliveries. The ids are zeros, so they belong to no record. */
export const eventExamples: { readonly [Type in EventType]: EventData<Type> } = {
  'url.created': url,
  'url.updated': url,
  'url.click_threshold': { id: '0', shortCode: 'example', threshold: 100, count: 100 },
  'url.expired': { ...url, isActive: false, expiresAt: createdAt },
  'qr.created': qr,
  'qr.scan_threshold': { id: organization, shortCode: 'example', threshold: 100, count: 100 },
  'qr.deleted': qr,
  'domain.verified': {
    id: organization,
    hostname: 'go.example.com',
    organizationId: organization,
    isActive: true,
    txtRecord: {
      name: '_shorty-challenge.go.example.com',
      type: 'TXT',
      value: 'shorty-verification=example',
    },
    createdAt,
    verifiedAt: createdAt,
    lastCheckedAt: createdAt,
    lastError: null,
  },
};
