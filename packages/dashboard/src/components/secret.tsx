import { useEffect, useId, useRef } from 'preact/hooks';
import { CopyButton } from './copy.js';

interface SecretProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
}

/** A text that the server shows only once, such as a key or the link of an invitation. */
export function Secret({ label, hint, text }: SecretProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), [text]);
  return (
    <div class="secret field" role="status">
      <label for={id}>{label}</label>
      <div class="row">
        <input id={id} ref={input} readOnly value={text} aria-describedby={`${id}-note`} />
        <CopyButton text={text} label={label} />
      </div>
      <p class="hint" id={`${id}-note`}>
        {hint}
      </p>
    </div>
  );
}
