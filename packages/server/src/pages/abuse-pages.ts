import { Html, html, renderPage } from './page.js';

/** What the form of a report shows. */
export interface AbuseForm {
  readonly url: string;
  readonly reason: string;
  readonly comment: string;
  readonly email: string;
  /** The reasons to choose from, with their texts. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly limits: { readonly url: number; readonly comment: number; readonly email: number };
  /** Why the last attempt failed. */
  readonly error?: string | undefined;
}

/** Renders the form that reports a link. */
export function abusePage({ url, reason, comment, email, reasons, limits, error }: AbuseForm) {
  const notice = error
    ? html`<p class="error" id="error" role="alert">${error}</p>`
    : html`<p>Tell the operator of this service about a harmful short link.</p>`;
  const described = error ? new Html(' aria-describedby="error"') : '';
  const options = Object.entries(reasons).map(
    ([name, text]) =>
      html`<option value="${name}"${name === reason ? new Html(' selected') : ''}>${text}</option>`
        .text,
  );
  return renderPage(
    'Report a link',
    html`<h1>Report a link</h1>
${notice}
<form method="post" action="/report-abuse">
<label for="url">Short link</label>
<input id="url" name="url" type="url" maxlength="${String(limits.url)}" required autocomplete="off" value="${url}"${described}>
<label for="reason">What is wrong?</label>
<select id="reason" name="reason" required>
<option value="">Choose…</option>
${new Html(options.join('\n'))}
</select>
<label for="comment">Details (optional)</label>
<textarea id="comment" name="comment" rows="4" maxlength="${String(limits.comment)}">${comment}</textarea>
<label for="email">Your e-mail address (optional)</label>
<input id="email" name="email" type="email" maxlength="${String(limits.email)}" autocomplete="email" value="${email}" aria-describedby="email-use">
<p class="hint" id="email-use">Only for questions about this report.</p>
<button type="submit">Send report</button>
</form>`,
  );
}

export const abuseReceivedPage = renderPage(
  'Report received',
  html`<h1>Thank you</h1>
<p>The report was received. The operator of this service will look at the link.</p>`,
);
