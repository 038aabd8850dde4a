import { Command, Help, type Option } from 'commander';
import { type DefineCommand, formatOption, type Start } from './command.js';
import type { Io } from './io.js';
import { outputFormats } from './output.js';
import { version } from './version.js';

interface Leaf {
  readonly summary: string;
  readonly load: () => Promise<{ define: DefineCommand }>;
}

type Tree = {
  readonly [name: string]: Leaf | { readonly summary: string; readonly commands: Tree };
};

/** Every command. A command's module is loaded when it is run or asked about, and not before. */
const tree: Tree = {
  login: {
    summary: 'Check client credentials with the server and keep them',
    load: () => import('./commands/login.js'),
  },
  logout: {
    summary: 'Forget the credentials of a profile',
    load: () => import('./commands/logout.js'),
  },
  whoami: {
    summary: 'Show the server, the credentials in use and where they come from',
    load: () => import('./commands/whoami.js'),
  },
  config: {
    summary: 'Read and change the stored settings',
    commands: {
      get: { summary: 'Print one setting', load: () => import('./commands/config/get.js') },
      set: { summary: 'Store a setting', load: () => import('./commands/config/set.js') },
      list: { summary: 'Print all settings', load: () => import('./commands/config/list.js') },
      unset: { summary: 'Remove a setting', load: () => import('./commands/config/unset.js') },
      path: {
        summary: 'Print where the settings are kept',
        load: () => import('./commands/config/path.js'),
      },
    },
  },
  urls: {
    summary: 'Create and manage short links',
    commands: {
      create: { summary: 'Create a short link', load: () => import('./commands/urls/create.js') },
      list: {
        summary: 'List short links, newest first',
        load: () => import('./commands/urls/list.js'),
      },
      get: { summary: 'Show a short link', load: () => import('./commands/urls/get.js') },
      update: {
        summary: 'Change, pause or resume a short link',
        load: () => import('./commands/urls/update.js'),
      },
      delete: {
        summary: 'Deactivate short links',
        load: () => import('./commands/urls/delete.js'),
      },
      'bulk-create': {
        summary: 'Create short links from a CSV file of any size',
        load: () => import('./commands/urls/bulk-create.js'),
      },
      'bulk-update': {
        summary: 'Change short links from a CSV file',
        load: () => import('./commands/urls/bulk-update.js'),
      },
      'bulk-delete': {
        summary: 'Deactivate short links by ids or from a file',
        load: () => import('./commands/urls/bulk-delete.js'),
      },
      clicks: {
        summary: 'Show the clicks of a short link',
        load: () => import('./commands/urls/clicks.js'),
      },
      export: {
        summary: 'Write every short link with all its fields',
        load: () => import('./commands/urls/export.js'),
      },
    },
  },
  qr: {
    summary: 'Create and manage QR codes',
    commands: {
      create: {
        summary: 'Create a QR code and show it',
        load: () => import('./commands/qr/create.js'),
      },
      list: {
        summary: 'List QR codes, newest first',
        load: () => import('./commands/qr/list.js'),
      },
      get: {
        summary: 'Show a QR code',
        load: () => import('./commands/qr/get.js'),
      },
      update: {
        summary: 'Change how a QR code looks',
        load: () => import('./commands/qr/update.js'),
      },
      delete: {
        summary: 'Delete QR codes',
        load: () => import('./commands/qr/delete.js'),
      },
      export: {
        summary: 'Write the pictures of QR codes into a folder',
        load: () => import('./commands/qr/export.js'),
      },
      scans: {
        summary: 'Show the scans of a QR code',
        load: () => import('./commands/qr/scans.js'),
      },
    },
  },
  webhooks: {
    summary: 'Send events to receivers, and receive them here',
    commands: {
      create: {
        summary: 'Subscribe a receiver to events',
        load: () => import('./commands/webhooks/create.js'),
      },
      list: {
        summary: 'List webhooks, newest first',
        load: () => import('./commands/webhooks/list.js'),
      },
      get: {
        summary: 'Show a webhook',
        load: () => import('./commands/webhooks/get.js'),
      },
      update: {
        summary: 'Change a webhook, or turn it off and on',
        load: () => import('./commands/webhooks/update.js'),
      },
      delete: {
        summary: 'Delete webhooks with their deliveries',
        load: () => import('./commands/webhooks/delete.js'),
      },
      deliveries: {
        summary: 'List deliveries, or show one with its attempts',
        load: () => import('./commands/webhooks/deliveries.js'),
      },
      replay: {
        summary: 'Deliver an event once more',
        load: () => import('./commands/webhooks/replay.js'),
      },
      test: {
        summary: 'Send an example event',
        load: () => import('./commands/webhooks/test.js'),
      },
      'rotate-secret': {
        summary: 'Replace the signing secret',
        load: () => import('./commands/webhooks/rotate-secret.js'),
      },
      listen: {
        summary: 'Receive webhooks on this machine and pass them on',
        load: () => import('./commands/webhooks/listen.js'),
      },
      verify: {
        summary: 'Check the signature of a delivery',
        load: () => import('./commands/webhooks/verify.js'),
      },
    },
  },
  domains: {
    summary: 'Serve links on domains of your own',
    commands: {
      create: {
        summary: 'Add a domain and show the TXT record to set',
        load: () => import('./commands/domains/create.js'),
      },
      list: {
        summary: 'List domains, newest first',
        load: () => import('./commands/domains/list.js'),
      },
      get: {
        summary: 'Show a domain and its TXT record',
        load: () => import('./commands/domains/get.js'),
      },
      verify: {
        summary: 'Look for the TXT record in DNS and make the domain active',
        load: () => import('./commands/domains/verify.js'),
      },
      delete: {
        summary: 'Delete domains that no active link is on',
        load: () => import('./commands/domains/delete.js'),
      },
    },
  },
  analytics: {
    summary: 'Show what was clicked, when and from where',
    commands: {
      overview: {
        summary: 'Show the clicks of all short links',
        load: () => import('./commands/analytics/overview.js'),
      },
      report: {
        summary: 'Make a report on one link or all: charts, a page, CSV or JSON',
        load: () => import('./commands/analytics/report.js'),
      },
    },
  },
  usage: {
    summary: 'Show what a month has used, and what the plan includes',
    load: () => import('./commands/usage.js'),
  },
  completion: {
    summary: 'Print a completion script for a shell',
    load: () => import('./commands/completion.js'),
  },
};

export interface GlobalFlags {
  readonly json?: boolean;
  readonly output?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly clientId?: string;
}

type Program = Command & { opts(): GlobalFlags };

/** The command line as Commander sees it. */
export function buildProgram(io: Io, start: Start): Program {
  const program = new Command('shorty')
    .description('Short links from the shell, one or a whole CSV at a time')
    .version(version, '-V, --version', 'print the version')
    .addOption(formatOption(outputFormats))
    .option('--json', 'the same as --output json; errors are JSON too')
    .option('-q, --quiet', 'print data and errors only')
    .option('--no-color', 'print without colours')
    .option('--profile <name>', 'the stored profile to use')
    .option('--base-url <url>', 'the address of the server')
    .option('--client-id <id>', 'the client to sign in as')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Told by main, as every other failure is.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .exitOverride();
  addCommands(program, tree, start);
  return program;
}

// Those that a command describes itself are not told twice.
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  return Help.prototype.visibleGlobalOptions
    .call(this, command)
    .filter((option) => !command.options.some(({ long }) => long === option.long));
}

/** Gives every command its arguments and options, for what needs to see the whole tree. */
export async function loadAllCommands(program: Command): Promise<void> {
  await loadCommands(program, tree);
}

// Defined commands are complete; they are run by nobody here.
const neverStart: Start = () => Promise.resolve();

async function loadCommands(parent: Command, branch: Tree): Promise<void> {
  for (const [name, node] of Object.entries(branch)) {
    const command = parent.commands.find((child) => child.name() === name);
    if (!command) continue;
    if ('commands' in node) await loadCommands(command, node.commands);
    else if (!isDefined(command)) (await node.load()).define(command, neverStart);
  }
}

function isDefined(command: Command): boolean {
  return command.options.length > 0 || command.registeredArguments.length > 0;
}

function addCommands(parent: Command, branch: Tree, start: Start): void {
  const leaves = new Map<Command, Leaf>();
  for (const [name, node] of Object.entries(branch)) {
    const command = parent.command(name).description(node.summary);
    if ('commands' in node) addCommands(command, node.commands, start);
    else leaves.set(command, node);
  }
  parent.hook('preSubcommand', async (_, command) => {
    const leaf = leaves.get(command);
    if (leaf) (await leaf.load()).define(command, start);
  });
}
