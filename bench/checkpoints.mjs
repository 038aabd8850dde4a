// Runs the checkpoints of a database in a thread of their own, as a server does.
import { workerData } from 'node:worker_threads';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';

const database = openStorage({ databaseUrl: workerData, durability: 'process' });
setInterval(() => database.maintain(), 250);
