import { Command, Option } from 'commander';
import { planNames } from './organizations/plans.js';

// A command loads only what it needs: a container's health check runs every few seconds.
const load = {
  backup: () => import('./operations/commands/backup.js'),
  clients: () => import('./operations/commands/clients.js'),
  doctor: () => import('./operations/commands/doctor.js'),
  health: () => import('./operations/commands/health.js'),
  migrate: () => import('./operations/commands/migrate.js'),
  organizations: () => import('./operations/commands/organizations.js'),
  operatorsFault: () => import('./operations/commands/operators-fault.js'),
  start: () => import('./operations/commands/start.js'),
  transfer: () => import('./operations/commands/transfer.js'),
};

const program = new Command('shorty-server')
  .description('The Shorty server and its operator commands. Settings come from the environment.')
  .showHelpAfterError('(see shorty-server --help)');

program
  .command('start', { isDefault: true })
  .description('serve until stopped')
  .action(async () => (await load.start()).start());

program
  .command('health')
  .description('ask the running server whether it is ready; leaves with 1 when it is not')
  .action(async () => (await load.health()).health());

program
  .command('migrate')
  .description('bring the database up to date, or move everything to PostgreSQL')
  .option(
    '--from <url>',
    'the file to move, such as file:./data/shorty.db; its server must be stopped',
  )
  .option('--to <url>', 'an empty postgres:// database to move to')
  .action(async (options) => (await load.migrate()).migrate(options));

program
  .command('doctor')
  .description('prove that visits, counters and series agree, and set counters right')
  .option('--check', 'change nothing, and leave with 1 when something is wrong')
  .action(async (options) => (await load.doctor()).doctor(options));

program
  .command('backup')
  .description('copy the database of a running server, with every click, into one checked file')
  .argument('<file>', 'must not exist; the secret key is put beside it')
  .action(async (file) => (await load.backup()).backup(file));

program
  .command('restore')
  .description('put a backup where the settings say that the database is')
  .argument('<file>', 'a backup')
  .option('--new-key', 'go on without the secret key: every visitor will be a new one')
  .action(async (file, options) => (await load.backup()).restore(file, options));

const orgs = program.command('orgs').description('organizations');
orgs
  .command('create')
  .description('create an organization and its first client; the secret is shown only now')
  .requiredOption('--name <name>', 'its name')
  .addOption(new Option('--plan <plan>', 'its plan').choices(planNames).makeOptionMandatory())
  .option('--json', 'print JSON')
  .action(async (options) => (await load.organizations()).createOrganization(options));
orgs
  .command('list')
  .description('list organizations')
  .option('--json', 'print JSON')
  .action(async (options) => (await load.organizations()).listOrganizations(options));

orgs
  .command('export')
  .description('write everything of an organization as lines of JSON, secrets included')
  .requiredOption('--org <id>', 'the organization')
  .option('--out <file>', 'a file that does not exist yet (stdout when left out)')
  .action(async (options) => (await load.transfer()).exportToFile(options));
orgs
  .command('import')
  .description('take over an organization that another server has exported: all of it or nothing')
  .argument('<file>', 'an export')
  .action(async (file) => (await load.transfer()).importFromFile(file));
orgs
  .command('plan')
  .description('give an organization another plan; it holds from the next request on')
  .requiredOption('--org <id>', 'the organization')
  .addOption(new Option('--plan <plan>', 'its new plan').choices(planNames).makeOptionMandatory())
  .option('--json', 'print JSON')
  .action(async (options) => (await load.organizations()).changePlan(options));

const clients = program.command('clients').description('API clients');
clients
  .command('create')
  .description('add a client to an organization; the secret is shown only now')
  .requiredOption('--org <id>', 'the organization')
  .option('--scopes <scopes>', 'what it may do, separated by spaces (everything when left out)')
  .option('--json', 'print JSON')
  .action(async (options) => (await load.clients()).createClient(options));
clients
  .command('revoke')
  .description('end a client and every token that it has')
  .argument('<client-id>')
  .action(async (clientId) => (await load.clients()).revokeClient(clientId));

try {
  await program.parseAsync();
} catch (error) {
  const { isOperatorsFault } = await load.operatorsFault();
  if (!isOperatorsFault(error)) throw error;
  process.stderr.write(`shorty-server: ${error.message}\n`);
  process.exitCode = 1;
}
