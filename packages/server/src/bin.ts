import { Command, Option } from 'commander';
import { roles } from './contract/roles.js';
import { version } from './version.js';

// A command loads only its own modules, because a container's health check runs every few seconds.
const load = {
  backup: () => import('./operations/commands/backup.js'),
  clients: () => import('./operations/commands/clients.js'),
  doctor: () => import('./operations/commands/doctor.js'),
  health: () => import('./operations/commands/health.js'),
  migrate: () => import('./operations/commands/migrate.js'),
  organizations: () => import('./operations/commands/organizations.js'),
  operatorErrors: () => import('./operations/commands/open-database.js'),
  secrets: () => import('./operations/commands/secrets.js'),
  start: () => import('./operations/commands/start.js'),
  transfer: () => import('./operations/commands/transfer.js'),
  users: () => import('./operations/commands/users.js'),
};

const program = new Command('shorty-server')
  .description('The Shorty server and its operator commands. Settings come from the environment.')
  .version(version, '-V, --version', 'print the version')
  .showHelpAfterError('(see shorty-server --help)');

program
  .command('start')
  .description('serve until stopped; the default command')
  .option('--create', 'create the folders of the SQLite database and of backups that do not exist')
  .action(async (options) => (await load.start()).start(options));

program
  .command('health')
  .description('check whether the running server is ready; exits with 1 if it is not')
  .action(async () => (await load.health()).health());

program
  .command('migrate')
  .description('apply missing migrations, or move an installation to the configured PostgreSQL')
  .option('--from <url>', 'the file to move, such as file:./data/shorty.db; stop its server first')
  .action(async (options) => (await load.migrate()).migrate(options));

program
  .command('doctor')
  .description('check the database, and repair wrong counters')
  .option('--check', 'change nothing, and exit with 1 if there are errors')
  .option('--discard <row>', 'only delete a row of visits that cannot be read, such as 12')
  .action(async (options) => (await load.doctor()).doctor(options));

program
  .command('backup')
  .description(
    'copy the database, including every click, into one verified file; the server may run',
  )
  .argument('<file>', 'must not exist; the secret key is written beside it')
  .action(async (file) => (await load.backup()).backup(file));

program
  .command('restore')
  .description('restore a backup to the configured database path')
  .argument('<file>', 'a backup')
  .option(
    '--move-old-to <folder>',
    'move the files of the old database to this new folder first, on the same file system',
  )
  .action(async (file, options) => (await load.backup()).restore(file, options));

const secrets = program
  .command('secrets')
  .description('secrets that the database stores encrypted');
secrets
  .command('rotate')
  .description(
    'encrypt all of them under SHORTY_SECRET_KEY; the server may run, with the same settings',
  )
  .action(async () => (await load.secrets()).rotate());

const orgs = program.command('orgs').description('organizations');
orgs
  .command('create')
  .description('create an organization and its first client; the secret is shown only now')
  .requiredOption('--name <name>', 'its name')
  .requiredOption(
    '--plan <plan>',
    'its plan: free, developer, scale, enterprise, or one of SHORTY_PLANS',
  )
  .option('--json', 'print JSON')
  .action(async (options) => (await load.organizations()).createOrganization(options));
orgs
  .command('list')
  .description('list organizations')
  .option('--json', 'print JSON')
  .action(async (options) => (await load.organizations()).listOrganizations(options));

orgs
  .command('export')
  .description('export an organization as JSON lines, including secrets')
  .requiredOption('--org <id-or-name>', 'the organization')
  .option('--out <file>', 'a file that does not exist yet (default: stdout)')
  .action(async (options) => (await load.transfer()).exportToFile(options));
orgs
  .command('import')
  .description('import an exported organization, completely or not at all')
  .argument('<file>', 'an export')
  .action(async (file) => (await load.transfer()).importFromFile(file));

const clients = program.command('clients').description('API clients');
clients
  .command('create')
  .description('add a client to an organization; the secret is shown only now')
  .requiredOption('--org <id-or-name>', 'the organization')
  .option('--name <name>', 'what it is for')
  .option(
    '--scopes <scopes>',
    'its scopes, separated by spaces (default: all but urls:erase and keys:write)',
  )
  .option('--json', 'print JSON')
  .action(async (options) => (await load.clients()).createClient(options));
clients
  .command('revoke')
  .description('revoke a client and all of its tokens')
  .argument('<id-or-name>', 'the client')
  .action(async (client) => (await load.clients()).revokeClient(client));

const users = program.command('users').description('people who sign in to the dashboard');
users
  .command('invite')
  .description('add a person to an organization, and print the link that sets the password')
  .requiredOption('--org <id-or-name>', 'the organization')
  .option('--email <address>', 'the address to sign in with (default: the link asks for it)')
  .addOption(new Option('--role <role>', 'what the person may do').choices(roles).default('owner'))
  .option('--json', 'print JSON')
  .action(async (options) => (await load.users()).inviteUser(options));
users
  .command('reset')
  .description('print a new link by which a person sets a password')
  .argument('<address>', 'the address that the person signs in with')
  .option('--json', 'print JSON')
  .action(async (address, options) => (await load.users()).resetUser(address, options));
users
  .command('list')
  .description('list the people of an organization, or of all')
  .option('--org <id-or-name>', 'the organization')
  .option('--json', 'print JSON')
  .action(async (options) => (await load.users()).printUsers(options));

// Not a default command of Commander, which would take a misspelt command for an argument of `start`.
const given = process.argv.slice(2);
const isStart = given.length === 0 || given[0] === '--create';
try {
  await program.parseAsync(isStart ? ['start', ...given] : given, { from: 'user' });
} catch (error) {
  const { isOperatorError, messageOf } = await load.operatorErrors();
  if (!isOperatorError(error)) throw error;
  process.stderr.write(`shorty-server: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
