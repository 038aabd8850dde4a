import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/** Loads TypeScript, which Node 20 does not read by itself. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transform(await readFile(new URL(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
}
