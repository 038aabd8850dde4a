import type { ApiError } from '../contract/api-error.js';
import { html, type Page, type RenderPage } from './page.js';
import type { Strings } from './strings/en.js';

/** What the request for the form says about its visitor. The request that sends it says the form itself. */
export interface FormOrigin {
  readonly referrer: string;
  readonly fetchSite: string;
}

/** Returns the pages of links and of domains, in a language. `name` is that of the service. */
export function createLinkPages(render: RenderPage, strings: Strings, name: string | undefined) {
  const { tryAgain } = strings;
  const message = (heading: string, text: string) =>
    render(heading, html`<h1>${heading}</h1>\n<p>${text}</p>`);
  const describe = ({ code, headers }: ApiError) => {
    if (code === 'UNAUTHORIZED') return strings.wrongPassword;
    if (code !== 'RATE_LIMITED') return strings.unreadableForm;
    const minutes = Math.ceil(Number(headers['Retry-After']) / 60);
    return strings.tooManyAttempts(
      new Intl.RelativeTimeFormat(strings.lang).format(minutes, 'minute'),
    );
  };
  /** Renders the page at `/` of a custom domain. It does not say which software runs there. */
  const domain = (hostname: string) => message(hostname, strings.servesLinks);
  return {
    notFound: message(strings.notFound, strings.notFoundWhy),
    gone: message(strings.gone, strings.goneWhy),
    takenDown: message(strings.takenDown, strings.takenDownWhy),
    unavailable: message(strings.unavailable, tryAgain),

    domain,
    home:
      name !== undefined
        ? domain(name)
        : render(
            'Shorty',
            html`<h1>${strings.home}</h1>
<p><a href="/docs">${strings.apiDocumentation}</a>, <a href="/openapi.yaml">openapi.yaml</a></p>`,
          ),

    /** Renders the password form of a link. `error` is that of the last attempt. */
    password({ referrer, fetchSite }: FormOrigin, error?: ApiError): Page {
      const notice = error
        ? html`<p class="error" id="error" role="alert">${describe(error)}</p>`
        : html`<p>${strings.enterPassword}</p>`;
      const described = error ? html` aria-describedby="error" aria-invalid="true"` : '';
      return render(
        strings.isProtected,
        html`<h1>${strings.isProtected}</h1>
${notice}
<form method="post">
<input type="hidden" name="referrer" value="${referrer}">
<input type="hidden" name="fetchSite" value="${fetchSite}">
<label for="password">${strings.password}</label>
<input id="password" name="password" type="password" maxlength="512" required autofocus autocomplete="off"${described}>
<button type="submit">${strings.submit}</button>
</form>`,
      );
    },
  };
}
