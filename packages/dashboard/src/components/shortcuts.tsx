import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from './form.js';

/** The keys of the dashboard. They work unless somebody is typing. */
const keys = [
  ['/', 'search links'],
  ['n', 'shorten a link'],
  ['?', 'show these keys'],
] as const;

export function Shortcuts() {
  const [isShown, setShown] = useState(false);
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const isTyping = (target as Element).closest('input, textarea, select, dialog') !== null;
      if (isTyping || ctrlKey || metaKey || altKey) return;
      if (key === '?') setShown(true);
      if (key !== '/' && key !== 'n') return;
      navigate('/');
      // After the screen is there.
      setTimeout(() => document.getElementById(key === 'n' ? 'destination' : 'search')?.focus());
    };
    // Not `keydown`, after which the browser would type the key into the field.
    addEventListener('keyup', onKey);
    return () => removeEventListener('keyup', onKey);
  }, []);
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
