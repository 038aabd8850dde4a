/** The figures of one process of a server that has several. */
export interface ProcessMetrics {
  /** The number of a worker, or `keeper`. */
  readonly process: string;
  /** Prometheus' text format. */
  readonly text: string;
}

interface Family {
  readonly comments: string[];
  readonly samples: string[];
}

// A name, its labels if it has any, and the rest.
const sample = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?( .*)$/;
const comment = /^# (?:HELP|TYPE) ([A-Za-z_:][\w:]*)/;

/**
 * One exposition out of those of several processes, each sample labelled with its process: counters
 * begin anew with a process, which a sum would hide from who computes rates.
 */
export function mergeMetrics(parts: readonly ProcessMetrics[]): string {
  const families = new Map<string, Family>();
  for (const { process, text } of parts) {
    let family: Family = { comments: [], samples: [] };
    for (const line of text.split('\n')) {
      const name = comment.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { comments: [], samples: [] };
        families.set(name, family);
        if (!family.comments.includes(line)) family.comments.push(line);
        continue;
      }
      const [, metric = '', labels = '', rest = ''] = sample.exec(line) ?? [];
      if (metric === '') continue;
      const own = `process="${process}"`;
      family.samples.push(`${metric}{${labels === '' ? own : `${own},${labels}`}}${rest}`);
    }
  }
  return [...families.values()]
    .flatMap(({ comments, samples }) => [...comments, ...samples])
    .map((line) => `${line}\n`)
    .join('');
}
