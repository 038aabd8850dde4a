import { Html, html, renderPage } from './page.js';

export const notFoundPage = renderPage(
  'Link not found',
  html`<h1>This link does not exist</h1>
<p>Check the address for typing errors.</p>`,
);

/** The page of a domain where the case of a link matters. */
export const notFoundInThisCasePage = renderPage(
  'Link not found',
  html`<h1>This link does not exist</h1>
<p>Check the address for typing errors. Uppercase and lowercase letters are different.</p>`,
);

export const gonePage = renderPage(
  'Link no longer active',
  html`<h1>This link is no longer active</h1>
<p>It has expired or was deactivated.</p>`,
);

export const takenDownPage = renderPage(
  'Link taken down',
  html`<h1>This link was taken down</h1>
<p>The operator of this service has blocked it, for example because it led to a harmful page.</p>
<p><a href="/report-abuse">Report another link</a></p>`,
);

export const unavailablePage = renderPage(
  'Try again in a moment',
  html`<h1>This link is temporarily unavailable</h1>
<p>Please try again in a moment.</p>`,
);

export const homePage = renderPage(
  'Shorty',
  html`<h1>Shorty is running</h1>
<p>Read the <a href="/docs">API documentation</a>, or download <a href="/openapi.yaml">openapi.yaml</a>.</p>`,
);

/** Renders the page at `/` of a custom domain. It does not say which software runs there. */
export function domainPage(hostname: string): string {
  return renderPage(
    hostname,
    html`<h1>${hostname}</h1>
<p>This address serves short links. To open one, use its full address.</p>`,
  );
}

/** What the request for the form says about its visitor. The request that sends it says the form itself. */
export interface FormOrigin {
  /** Its `Referer`. */
  readonly referrer: string;
  /** Its `Sec-Fetch-Site`. */
  readonly fetchSite: string;
}

/** Renders the password form of a link. `error` says why the last attempt failed. */
export function passwordPage({ referrer, fetchSite }: FormOrigin, error?: string): string {
  const notice = error
    ? html`<p class="error" id="error" role="alert">${error}</p>`
    : html`<p>Enter the password to open it.</p>`;
  const described = error ? new Html(' aria-describedby="error" aria-invalid="true"') : '';
  return renderPage(
    'Password needed',
    html`<h1>This link is protected</h1>
${notice}
<form method="post">
<input type="hidden" name="referrer" value="${referrer}">
<input type="hidden" name="fetchSite" value="${fetchSite}">
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="512" required autofocus autocomplete="off"${described}>
<button type="submit">Continue</button>
</form>`,
  );
}
