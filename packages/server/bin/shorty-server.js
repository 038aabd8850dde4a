#!/usr/bin/env node
import '../dist/bundle/modules/bin.js';
