// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** The query parameters that an operation requires. */
export const requiredQuery: Readonly<Record<string, readonly string[]>> = {
  "GET /api/v1/urls/lookup": [
    "shortUrl"
  ]
};
