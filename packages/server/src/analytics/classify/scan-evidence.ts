/** What a request shows of a scan, as bits: a visit keeps them, and a report decides by them. */
export const scanEvidence = {
  /** The agent is an app that does nothing but read codes. */
  dedicatedScanner: 1,
  /** The agent is a browser within another app. */
  inApp: 2,
  /** A `Referer` names a page. */
  referrer: 4,
  /** The `Referer` is one of a search by image. */
  imageSearch: 8,
  /** `Sec-Fetch-Site` is `none` or absent: no page asked for it. */
  ownNavigation: 16,
} as const;
