import type { JSX } from 'preact';

/** A button that sends no form. */
export const Button = (props: JSX.IntrinsicElements['button']) => (
  <button type="button" {...props} />
);
