import { describe, expect, it } from 'vitest';
import {
  findAppleAppSiteAssociationFault,
  findAssetLinksFault,
  maxAppLinksBytes,
} from './app-links.js';

const appId = 'ABCDE12345.com.example.app';
const print = Array.from({ length: 32 }, () => 'AB').join(':');
const app = {
  relation: ['delegate_permission/common.handle_all_urls'],
  target: {
    namespace: 'android_app',
    package_name: 'com.example.app',
    sha256_cert_fingerprints: [print],
  },
};

describe('an apple-app-site-association file', () => {
  it.each([
    [{ applinks: { details: [] } }],
    [{ applinks: { details: [{ appIDs: [appId], components: [{ '/': '/*' }], further: 1 }] } }],
    [{ applinks: { apps: [], details: [{ appID: appId, paths: ['*'] }] } }],
    [{ webcredentials: { apps: [appId] }, appclips: { apps: [] }, further: true }],
  ])('%j is valid', (document) => {
    expect(findAppleAppSiteAssociationFault(document)).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [[], ''],
    [null, ''],
    [{}, ''],
    [{ applinks: [] }, 'applinks'],
    [{ applinks: {} }, 'applinks.details'],
    [{ applinks: { details: [1] } }, 'applinks.details[0]'],
    [{ applinks: { details: [{}] } }, 'applinks.details[0].appID'],
    [{ applinks: { details: [{ appIDs: ['com.example.app'] }] } }, 'applinks.details[0].appIDs'],
    [{ applinks: { details: [{ appIDs: [appId], paths: [1] }] } }, 'applinks.details[0].paths'],
    [
      { applinks: { details: [{ appIDs: [appId], components: ['/'] }] } },
      'applinks.details[0].components',
    ],
    [{ webcredentials: { apps: [7] } }, 'webcredentials.apps'],
    [{ appclips: { apps: [] }, further: 'x'.repeat(maxAppLinksBytes) }, ''],
  ])('%j is refused, with its path', (document, path) => {
    expect(findAppleAppSiteAssociationFault(document)).toMatchObject({ path });
  });
});

describe('an assetlinks.json file', () => {
  it.each([
    [[]],
    [[app, { include: 'https://example.com/other.json' }]],
    [[{ relation: ['r'], target: { namespace: 'web', site: 'https://example.com' } }]],
  ])('%j is valid', (document) => {
    expect(findAssetLinksFault(document)).toBeUndefined();
  });

  const target = (change: object) => [{ ...app, target: { ...app.target, ...change } }];
  it.each<[unknown, string]>([
    [{}, ''],
    [[7], '[0]'],
    [[{}], '[0].relation'],
    [[{ ...app, relation: [] }], '[0].relation'],
    [[app, { ...app, target: null }], '[1].target'],
    [target({ namespace: 'ios' }), '[0].target.namespace'],
    [target({ package_name: 'app' }), '[0].target.package_name'],
    [target({ sha256_cert_fingerprints: [] }), '[0].target.sha256_cert_fingerprints'],
    [
      target({ sha256_cert_fingerprints: [print.toLowerCase()] }),
      '[0].target.sha256_cert_fingerprints',
    ],
    [[{ relation: ['r'], target: { namespace: 'web' } }], '[0].target.site'],
    [Array.from({ length: 100 }, () => app), ''],
  ])('%j is refused, with its path', (document, path) => {
    expect(findAssetLinksFault(document)).toMatchObject({ path });
  });
});
