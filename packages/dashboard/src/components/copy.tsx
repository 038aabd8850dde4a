import { signal } from '@preact/signals';
import { field } from '../fields.js';
import { Button, Dialog } from './elements.js';
import { FieldRow } from './field.js';
import { notify } from './work.js';

/** Copies text, and says so. Browsers refuse that in some windows, where people copy it themselves. */
export async function copyText(text: string, label = text): Promise<void> {
  try {
    // Only pages with TLS have it.
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copySelection(text)) return;
  }
  notify(`Copied ${label}`);
}

function copySelection(text: string): boolean {
  const before = document.activeElement as HTMLElement;
  const area = document.createElement('textarea');
  area.value = text;
  // Nothing outside an open dialog can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  before.focus();
  return isCopied;
}

/** A button that copies a text, such as a short link. */
export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <Button class="plain" aria-label={`Copy ${label}`} onClick={() => void copyText(text, label)}>
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
      {secrets.value.map(({ label, hint, text }) => (
        <div key={text} class="line" ref={(line) => line?.querySelector('input')?.select()}>
          <FieldRow
            field={field('secret', label, { hint, readOnly: true })}
            filling={{ draft: { secret: text }, set: () => {} }}
          />
          <CopyButton text={text} label={label} />
        </div>
      ))}
    </Dialog>
  );
