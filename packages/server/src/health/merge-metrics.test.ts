import { describe, expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.js';

describe('mergeMetrics', () => {
  it('names the process of each sample and keeps a family together', () => {
    const text = (count: number) => `# HELP visits Redirects.
# TYPE visits counter
visits ${count}
# HELP took Seconds.
# TYPE took histogram
took_bucket{route="/a b",le="+Inf"} ${count} 1700000000
took_sum ${count}.5
`;
    expect(
      mergeMetrics([
        { process: '1', text: text(1) },
        { process: 'keeper', text: text(2) },
      ]),
    ).toBe(`# HELP visits Redirects.
# TYPE visits counter
visits{process="1"} 1
visits{process="keeper"} 2
# HELP took Seconds.
# TYPE took histogram
took_bucket{process="1",route="/a b",le="+Inf"} 1 1700000000
took_sum{process="1"} 1.5
took_bucket{process="keeper",route="/a b",le="+Inf"} 2 1700000000
took_sum{process="keeper"} 2.5
`);
  });

  it('passes over a process that has nothing to tell', () => {
    expect(mergeMetrics([{ process: '1', text: '' }])).toBe('');
  });
});
