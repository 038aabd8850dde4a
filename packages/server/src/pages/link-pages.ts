import { type Html, html, renderPage } from './page.js';

/** What the request for the form says about its visitor. The request that sends it says the form itself. */
export interface FormOrigin {
  readonly referrer: string;
  readonly fetchSite: string;
}

export type LinkPages = ReturnType<typeof createLinkPages>;

/**
 * Returns the pages that visitors of links meet. Each ends with a link to the operator's contact for
 * abuse, if there is one.
 */
export function createLinkPages(abuseContact: string | undefined) {
  const footer =
    abuseContact === undefined
      ? html``
      : html`\n<p class="contact"><a href="${abuseContact}">Report abuse</a></p>`;
  const render = (title: string, content: Html) => renderPage(title, html`${content}${footer}`);
  return {
    notFound: render(
      'Link not found',
      html`<h1>This link does not exist</h1>
<p>Check the address for typing errors. Uppercase and lowercase letters may be different.</p>`,
    ),

    gone: render(
      'Link no longer active',
      html`<h1>This link is no longer active</h1>
<p>It has expired, or was paused or deleted.</p>`,
    ),

    takenDown: render(
      'Link taken down',
      html`<h1>This link was taken down</h1>
<p>The operator of this service has blocked it, for example because it led to a harmful page.</p>`,
    ),

    unavailable: render(
      'Try again in a moment',
      html`<h1>This link is temporarily unavailable</h1>
<p>Please try again in a moment.</p>`,
    ),

    home: render(
      'Shorty',
      html`<h1>Shorty is running</h1>
<p>Read the <a href="/docs">API documentation</a>, or download <a href="/openapi.yaml">openapi.yaml</a>.</p>`,
    ),

    /** Renders the page at `/` of a custom domain. It does not say which software runs there. */
    domain: (hostname: string): string =>
      render(
        hostname,
        html`<h1>${hostname}</h1>
<p>This address serves short links. To open one, use its full address.</p>`,
      ),

    /** Renders the password form of a link. `error` says why the last attempt failed. */
    password({ referrer, fetchSite }: FormOrigin, error?: string): string {
      const notice = error
        ? html`<p class="error" id="error" role="alert">${error}</p>`
        : html`<p>Enter the password to open it.</p>`;
      const described = error ? html` aria-describedby="error" aria-invalid="true"` : '';
      return render(
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
    },
  };
}
