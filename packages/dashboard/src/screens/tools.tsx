import { CopyButton } from '../components/copy.js';
import { download } from '../components/download.js';
import { Button, Part, Screen } from '../components/elements.js';
import { notify } from '../components/work.js';

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
  const explain = (event: Event) => {
    event.preventDefault();
    notify('Drag the link to the bookmarks of your browser');
  };
  return (
    <Screen title="Tools">
      <Part title="Bookmarklet">
        <p>
          Drag this link to the bookmarks of your browser. The bookmark opens the page that you are
          on in the form that shortens it.
        </p>
        <p class="row">
          <a href={bookmarklet} onClick={explain}>
            Shorten
          </a>
          <CopyButton text={bookmarklet} label="bookmarklet" />
        </p>
      </Part>
      <Part title="ShareX">
        <p>
          Save this file, replace <code>{keyPlace}</code> by a key with the scope{' '}
          <code>urls:write</code>, and open it: ShareX then shortens links here.
        </p>
        <pre>{shareX}</pre>
        <p class="row">
          <Button onClick={() => download('shorty.sxcu', 'application/json', shareX)}>
            Download shorty.sxcu
          </Button>
          <CopyButton text={shareX} label="the file for ShareX" />
        </p>
      </Part>
      <Part title="Shortcuts on iPhone, iPad and Mac">
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
        <pre>{createUrl}</pre>
        <CopyButton text={createUrl} label="the address" />
      </Part>
    </Screen>
  );
}
