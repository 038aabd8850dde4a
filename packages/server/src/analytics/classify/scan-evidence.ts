/** Bit flags: the evidence of a scan in a request. They are stored with each visit and read by reports. */
export const scanEvidence = {
  /** The user agent is an app that only reads QR codes. */
  dedicatedScanner: 1,
  /** The user agent is a browser inside another app. */
  inApp: 2,
  /** The `Referer` is a page. */
  referrer: 4,
  /** The `Referer` is an image search. */
  imageSearch: 8,
  /** `Sec-Fetch-Site` is `none` or absent: no page caused the request. */
  ownNavigation: 16,
} as const;
