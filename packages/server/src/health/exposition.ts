/** One figure of a family, told apart from the others by its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** Behind the family's name, as histograms have them. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Prometheus' text exposition format, 0.0.4. */
export function renderFamilies(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels = {}, value }) =>
          `${name}${suffix}${renderLabels(labels)} ${value}\n`,
      );
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

/** A family of one figure. */
export function single(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: number,
): Family {
  return { name, type, help, samples: [{ value }] };
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}
