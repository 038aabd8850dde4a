import { signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { Button } from './elements.js';
import { notify } from './work.js';

/** Copies text, and says so. Browsers refuse that in some windows, where people copy it themselves. */
export async function copyText(text: string): Promise<void> {
  if (await tryToCopy(text)) notify(`Copied ${text}`);
}

async function tryToCopy(text: string): Promise<boolean> {
  try {
    // Only pages with TLS have it.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/** A button that copies a text, such as a short link. */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <Button class="plain" aria-label={`Copy ${label}`} onClick={() => void copyText(text)}>
    Copy
  </Button>
);

interface SecretText {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
}

const secrets = signal<readonly SecretText[]>([]);

/** Shows texts that the server gives only once, such as a key or the link of an invitation. */
export function showSecrets(...texts: readonly SecretText[]): void {
  secrets.value = texts;
}

export const Secrets = () =>
  secrets.value.length === 0 ? null : (
    <Dialog title="This is shown only once" onClose={() => showSecrets()}>
      {secrets.value.map((secret) => (
        <Secret key={secret.text} {...secret} />
      ))}
    </Dialog>
  );

function Secret({ label, hint, text }: SecretText) {
  const id = useId();
  const select = (input: HTMLInputElement | null) => input?.select();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row">
        <input id={id} ref={select} readOnly value={text} aria-describedby={`${id}-note`} />
        <CopyButton text={text} label={label} />
      </div>
      <p class="hint" id={`${id}-note`}>
        {hint}
      </p>
    </div>
  );
}
