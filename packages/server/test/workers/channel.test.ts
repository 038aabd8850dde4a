import { describe, expect, it } from 'vitest';
import { Channel, ChannelClosedError, type Line } from '../../src/workers/channel.js';
import { pairedLines } from './paired-lines.js';

type Answers = {
  double(number: number): number;
  fail(reason: string): Promise<never>;
  never(nothing: null): Promise<never>;
};
type None = Record<never, never>;

function connect() {
  const lines = pairedLines();
  const faults: unknown[] = [];
  const asked: string[] = [];
  const answers: Answers = {
    double: (number) => {
      asked.push('double');
      return number * 2;
    },
    async fail(reason) {
      asked.push('fail');
      throw new Error(reason);
    },
    never: () => new Promise(() => {}),
  };
  const server = new Channel<None, Answers>(lines.primary, answers, (error) => faults.push(error));
  const client = new Channel<Answers, None>(lines.process, {}, () => {});
  return { server, client, faults, asked };
}

describe('Channel', () => {
  it('answers each question with its own answer, whatever their order', async () => {
    const { client } = connect();
    const numbers = Array.from({ length: 100 }, (_, at) => at);
    const doubled = await Promise.all(numbers.map((number) => client.ask('double', number)));
    expect(doubled).toEqual(numbers.map((number) => number * 2));
  });

  it('rejects with the fault of the other side', async () => {
    await expect(connect().client.ask('fail', 'no paper')).rejects.toThrow('no paper');
  });

  it('says a fault of what nobody waits for to who listens for faults', async () => {
    const { client, faults, asked } = connect();
    client.tell('fail', 'no ink');
    await client.ask('double', 1);
    expect(asked).toEqual(['fail', 'double']);
    expect(faults).toEqual([new Error('no ink')]);
  });

  it('rejects who waits when it is closed, and who asks later', async () => {
    const { client } = connect();
    const waiting = client.ask('never', null);
    client.close();
    await expect(waiting).rejects.toThrow(ChannelClosedError);
    await expect(client.ask('double', 1)).rejects.toThrow(ChannelClosedError);
  });

  it('is closed by a line that cannot send', async () => {
    const broken: Line = {
      send: (_, onSent) => setImmediate(() => onSent(new Error('EPIPE'))),
      onMessage: () => {},
    };
    const client = new Channel<Answers, None>(broken, {}, () => {});
    await expect(client.ask('double', 1)).rejects.toThrow(ChannelClosedError);
  });
});
