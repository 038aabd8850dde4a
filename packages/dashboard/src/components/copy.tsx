import { Button } from './button.js';
import { notify } from './toasts.js';

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
