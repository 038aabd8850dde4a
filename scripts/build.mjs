import { build, install } from './bootstrap.mjs';

install();
build();
