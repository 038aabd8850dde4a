import { writeFileSync } from 'node:fs';
import { renderOpenApi } from '../dist/api/openapi.js';

writeFileSync(process.argv[2] ?? 'openapi.yaml', renderOpenApi());
