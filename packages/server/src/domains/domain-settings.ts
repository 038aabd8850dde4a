/** The settings of a domain that apply to its visitors. */
export interface DomainSettings {
  /** Where `/` leads; null shows a page. */
  readonly rootUrl: string | null;
  /** Where addresses without a link lead. */
  readonly notFoundUrl: string | null;
  /** Where links lead that no longer redirect. */
  readonly expiredUrl: string | null;
  /** Whether links are found in any case. */
  readonly ignoreCase: boolean;
}

/** The settings that lead visitors to another address. */
export type DomainUrl = 'rootUrl' | 'notFoundUrl' | 'expiredUrl';

export const domainUrls = ['rootUrl', 'notFoundUrl', 'expiredUrl'] as const;

/** The settings of a deleted domain, and of a suspended organization. */
export const noSettings: DomainSettings = {
  rootUrl: null,
  notFoundUrl: null,
  expiredUrl: null,
  ignoreCase: false,
};

/** The documents that connect apps with a domain, by their names under `/.well-known/`. */
export const appLinkDocuments = {
  'apple-app-site-association': 'appleAppSiteAssociation',
  'assetlinks.json': 'assetLinks',
} as const;

export type AppLinkDocument = (typeof appLinkDocuments)[keyof typeof appLinkDocuments];
