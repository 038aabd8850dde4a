/** A server-sent event. */
export interface StreamEvent {
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

// Longer than any delivery.
const maxEventLength = 4 * 1024 * 1024;

/**
 * Yields the events of a response. Returns when it ends, when the signal is aborted, or when nothing,
 * not even a heartbeat, has arrived for `idleMs`.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  // The connection may be broken already.
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, idleMs);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      timer.refresh();
      text += decoder.decode(value, { stream: true });
      if (text.length > maxEventLength) throw new Error('an event of the stream is too long');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Returns the event of a block of lines, or undefined for a comment. */
function parseEvent(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name !== '') fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { type: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data };
}
