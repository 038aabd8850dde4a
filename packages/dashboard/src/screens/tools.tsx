import type { ComponentChildren } from 'preact';
import { CopyButton } from '../components/copy.js';
import { download } from '../components/download.js';
import { Heading } from '../components/part.js';
import { notify } from '../components/toasts.js';

const createUrl = `${location.origin}/api/v1/urls`;
const keyPlace = 'YOUR_API_KEY';

/** Opens the page with the form for the page that is open. It is run by the bookmark, never here. */
const bookmarklet = `javascript:location.href=${JSON.stringify(
  `${location.origin}/dashboard/new?url=`,
)}+encodeURIComponent(location.href)`;

/** A custom uploader of ShareX. */
const shareX = JSON.stringify(
  {
    Version: '15.0.0',
    Name: `Shorty (${location.host})`,
    DestinationType: 'URLShortener',
    RequestMethod: 'POST',
    RequestURL: createUrl,
    Headers: { Authorization: `Bearer ${keyPlace}` },
    Body: 'JSON',
    Data: JSON.stringify({ targetUrl: '{input}' }),
    URL: '{json:data.shortUrl}',
    ErrorMessage: '{json:error.message}',
  },
  null,
  2,
);

export function Tools() {
  return (
    <>
      <Heading>Tools</Heading>
      <section>
        <h2>Bookmarklet</h2>
        <p>
          Drag this link to the bookmarks of your browser. The bookmark opens the page that you are
          on in the form that shortens it.
        </p>
        <p class="row">
          <a
            href={bookmarklet}
            class="bookmarklet"
            onClick={(event) => {
              event.preventDefault();
              notify('Drag the link to the bookmarks of your browser');
            }}
          >
            Shorten
          </a>
          <CopyButton text={bookmarklet} label="bookmarklet" />
        </p>
      </section>
      <section>
        <h2>ShareX</h2>
        <p>
          Save this file, replace <code>{keyPlace}</code> by a key with the scope{' '}
          <code>urls:write</code>, and open it: ShareX then shortens links here.
        </p>
        <Code text={shareX} label="the file for ShareX">
          <button type="button" onClick={() => download('shorty.sxcu', 'application/json', shareX)}>
            Download shorty.sxcu
          </button>
        </Code>
      </section>
      <section>
        <h2>Shortcuts on iPhone, iPad and Mac</h2>
        <p>Make a shortcut that appears in the share sheet, with these actions:</p>
        <ol>
          <li>Receive URLs from the share sheet.</li>
          <li>
            “Get Contents of URL”: the address below, method POST, the header{' '}
            <code>Authorization</code> with <code>Bearer {keyPlace}</code>, and as JSON the text{' '}
            <code>targetUrl</code> with the shortcut's input.
          </li>
          <li>
            “Get Dictionary Value”: <code>data.shortUrl</code>.
          </li>
          <li>“Copy to Clipboard”.</li>
        </ol>
        <Code text={createUrl} label="the address" />
      </section>
    </>
  );
}

function Code({
  text,
  label,
  children,
}: {
  readonly text: string;
  readonly label: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      <pre>
        <code>{text}</code>
      </pre>
      <p class="row">
        {children}
        <CopyButton text={text} label={label} />
      </p>
    </>
  );
}
