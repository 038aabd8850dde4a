import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/** Compiles TypeScript modules, which Node 20 cannot load. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transform(await readFile(new URL(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
}
