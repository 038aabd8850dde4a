import { binary, build, install, run } from './bootstrap.mjs';

/** Runs these projects of vitest, or those that `--project` names, with the script's arguments. */
export function runTests(projects) {
  const args = process.argv.slice(2);
  const selectsProject = args.some((arg) => arg.startsWith('--project'));
  const selection = selectsProject ? [] : projects.flatMap((name) => ['--project', name]);
  install();
  build();
  run(binary('vitest'), ['run', ...selection, ...args]);
}
