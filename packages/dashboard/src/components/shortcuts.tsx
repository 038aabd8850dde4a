import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Dialog } from './elements.js';

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
      const field = key === 'n' ? 'targetUrl' : 'search';
      // After the screen is there.
      setTimeout(() => document.querySelector<HTMLElement>(`[name=${field}]`)?.focus());
    };
    // Not `keydown`, after which the browser would type the key into the field.
    addEventListener('keyup', onKey);
    return () => removeEventListener('keyup', onKey);
  }, []);
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      {keys.map(([key, what]) => (
        <p key={key}>
          <kbd>{key}</kbd> {what}
        </p>
      ))}
    </Dialog>
  );
}
