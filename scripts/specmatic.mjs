// `npm run specmatic`: Specmatic, which knows openapi.yaml and nothing else of us, calls a server.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, fail, install, note, root } from './bootstrap.mjs';
import { excluded, makeExamples } from './specmatic-examples.mjs';
