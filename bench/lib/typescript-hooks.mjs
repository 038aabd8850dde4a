import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/** Compiles TypeScript modules, which Node 20 cannot load. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transform(await readFile(new URL(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
}

/** Finds the TypeScript module that an import of a `.js` file means. */
export async function resolve(specifier, context, nextResolve) {
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !specifier.endsWith('.js')) throw error;
    return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
  }
}
