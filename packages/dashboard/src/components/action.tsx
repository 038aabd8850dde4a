import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button, Dialog } from './elements.js';
import { Form } from './form.js';
import { run } from './work.js';

interface ActionProps {
  /** What the button says, such as `Pause`. */
  readonly name: string;
  /** What it acts on, for those who do not see where the button stands. */
  readonly of: string;
  readonly work: () => PromiseLike<unknown>;
  /** What to tell afterwards. */
  readonly done?: string;
  readonly undo?: () => PromiseLike<unknown>;
  /** What will be lost, for something that cannot be undone: it is asked first. */
  readonly ask?: string;
  /** The screen to show afterwards. */
  readonly to?: string | undefined;
}

/** A button for something that is done at once, or after a question. */
export function Action({ name, of, work, done, undo, ask, to }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const start = () => (ask === undefined ? void run(work, done, undo) : setAsking(true));
  return (
    <>
      <Button class="plain" aria-label={`${name} ${of}`} onClick={start}>
        {name}
      </Button>
      {isAsking && (
        <Dialog title={`${name} ${of}?`} close="Cancel" onClose={() => setAsking(false)}>
          <p>{ask}</p>
          <Form
            fields={[]}
            action={name}
            done={done}
            save={async () => {
              await work();
              setAsking(false);
              if (to !== undefined) navigate(to);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
