// What `packages/server/bin/shorty-server` sets, for scripts that start Node themselves: `npm start`, the
// benchmarks and the chaos tests. `check-deploy.mjs` compares them.

/**
 * The arguments of Node. V8's pool collects garbage and compiles code for all threads. Its threads have
 * normal priority, and on a machine with few processors, the four of Node's default compete with redirects.
 */
export const nodeArguments = ['--v8-pool-size=1'];

/**
 * glibc returns freed blocks above this size to the system at once. With its default, the memory of the
 * largest QR codes stays with the process.
 */
export const processEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072' };
