// `npm test`: installs and builds what is missing or stale, then runs the first stage of the tests.
import { runTests } from './run-tests.mjs';

runTests(['packages', 'postgres', 'e2e']);
