import { writeFileSync } from 'node:fs';
import { renderOpenApi } from '../dist/contract/openapi.js';

writeFileSync(process.argv[2] ?? 'openapi.yaml', renderOpenApi());
