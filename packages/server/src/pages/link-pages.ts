import { Html, html, renderPage } from './page.js';

export const notFoundPage = renderPage(
  'Link not found',
  html`<h1>This link does not exist</h1>
<p>Check the address for a slip: letters count as they are written, large or small.</p>`,
);

export const gonePage = renderPage(
  'Link no longer active',
  html`<h1>This link is no longer active</h1>
<p>It has expired, or its owner has switched it off.</p>`,
);

export const unavailablePage = renderPage(
  'Try again in a moment',
  html`<h1>This link cannot be looked up right now</h1>
<p>Nothing is lost. Please try again in a moment.</p>`,
);

export const homePage = renderPage(
  'Shorty',
  html`<h1>Shorty is running</h1>
<p>Read about the API and try it in the <a href="/docs">documentation</a>, or take its description: <a href="/openapi.yaml">openapi.yaml</a>.</p>`,
);

/** Asks for the password of a link; `fault` says why the last one did not do. */
export function passwordPage(fault?: string): string {
  const notice = fault
    ? html`<p class="bad" id="fault" role="alert">${fault}</p>`
    : html`<p>Its owner asks for a password.</p>`;
  const described = fault ? new Html(' aria-describedby="fault" aria-invalid="true"') : '';
  return renderPage(
    'Password needed',
    html`<h1>This link is protected</h1>
${notice}
<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="256" required autofocus autocomplete="off"${described}>
<button type="submit">Continue</button>
</form>`,
  );
}
