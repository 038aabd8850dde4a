import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Lays the package out as a consumer's node_modules has it, from today's sources, and bundles code
 * that imports it.
 */
export async function installPackage() {
  const folder = await mkdtemp(join(tmpdir(), 'webhook-verifier-'));
  const installed = join(folder, 'node_modules/@shorty/webhook-verifier');
  await cp(join(root, 'package.json'), join(installed, 'package.json'), { recursive: true });
  await build({
    entryPoints: ['', 'adapters/', 'generated/'].map((folder) => join(root, `src/${folder}*.ts`)),
    outdir: join(installed, 'dist'),
    format: 'esm',
    target: 'es2022',
  });
  return {
    async bundle(contents: string, condition: string, format: 'esm' | 'iife' = 'esm') {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: folder },
        bundle: true,
        minify: true,
        write: false,
        format,
        conditions: [condition],
        platform: condition === 'node' ? 'node' : 'neutral',
        target: 'es2022',
        logLevel: 'silent',
      });
      return outputFiles[0]?.text ?? '';
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
