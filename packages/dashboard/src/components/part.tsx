import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';

/** The heading of a screen, which is the title of the page, too. */
export function Heading({ children }: { readonly children: string }) {
  useEffect(() => {
    document.title = `${children} · Shorty`;
  }, [children]);
  return <h1>{children}</h1>;
}

/** A part of a screen, with its heading. */
export function Part(props: { readonly title: string; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </section>
  );
}
