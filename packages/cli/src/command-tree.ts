import type { DefineCommand } from './command.js';
import type { LinkSourceName } from './import/link-sources.js';

/** A command, as opposed to a group of commands. */
export interface Leaf {
  readonly summary: string;
  readonly load: () => Promise<{ define: DefineCommand }>;
}

/** Commands and groups of commands by their names. */
export type Tree = {
  readonly [name: string]: Leaf | { readonly summary: string; readonly commands: Tree };
};

function importLeaf(source: LinkSourceName, title: string): Leaf {
  return {
    summary: `Import an export of ${title}`,
    load: async () => (await import('./commands/import/import-from.js')).importFrom(source),
  };
}

/** The command tree. A command module is loaded only when the command runs or prints its help. */
export const commandTree: Tree = {
  login: {
    summary: 'Sign in and store the client credentials',
    load: () => import('./commands/login.js'),
  },
  logout: {
    summary: 'Remove the credentials of a profile',
    load: () => import('./commands/logout.js'),
  },
  whoami: {
    summary: 'Show the server and the credentials in use, with their sources',
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
        summary: 'Print the path of the configuration file',
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
      upsert: {
        summary: 'Create a short link with an external id, or change the one that has it',
        load: () => import('./commands/urls/upsert.js'),
      },
      get: { summary: 'Show a short link', load: () => import('./commands/urls/get.js') },
      update: {
        summary: 'Change, pause or resume a short link',
        load: () => import('./commands/urls/update.js'),
      },
      delete: {
        summary: 'Delete short links',
        load: () => import('./commands/urls/delete.js'),
      },
      restore: {
        summary: 'Make deleted or paused short links active again',
        load: () => import('./commands/urls/restore.js'),
      },
      rules: {
        summary: 'Lead some visits of a short link to other targets',
        commands: {
          set: {
            summary: 'Set the rules of a link from a JSON file',
            load: () => import('./commands/urls/rules/set.js'),
          },
          show: {
            summary: 'Show the rules of a link',
            load: () => import('./commands/urls/rules/show.js'),
          },
          test: {
            summary: 'Test where the rules of a link lead a visit',
            load: () => import('./commands/urls/rules/test.js'),
          },
        },
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
        summary: 'Delete short links by id or from a file',
        load: () => import('./commands/urls/bulk-delete.js'),
      },
      'erase-visits': {
        summary: 'Erase all visits of short links',
        load: () => import('./commands/urls/erase-visits.js'),
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
  tags: {
    summary: 'List, rename and delete tags of links',
    commands: {
      list: {
        summary: 'List tags with their number of links',
        load: () => import('./commands/tags/list.js'),
      },
      rename: {
        summary: 'Rename a tag on every link, or merge two tags',
        load: () => import('./commands/tags/rename.js'),
      },
      delete: {
        summary: 'Remove tags from every link',
        load: () => import('./commands/tags/delete.js'),
      },
    },
  },
  qr: {
    summary: 'Create and manage QR codes',
    commands: {
      create: {
        summary: 'Create a QR code',
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
        summary: 'Change the design of a QR code',
        load: () => import('./commands/qr/update.js'),
      },
      delete: {
        summary: 'Delete QR codes',
        load: () => import('./commands/qr/delete.js'),
      },
      export: {
        summary: 'Write QR code images to a folder',
        load: () => import('./commands/qr/export.js'),
      },
      scans: {
        summary: 'Show the scans of a QR code',
        load: () => import('./commands/qr/scans.js'),
      },
    },
  },
  webhooks: {
    summary: 'Manage webhooks, receive and verify deliveries',
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
        summary: 'Change, pause or resume a webhook',
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
      stats: {
        summary: 'Show success rate, response times and failures',
        load: () => import('./commands/webhooks/stats.js'),
      },
      replay: {
        summary: 'Deliver one event again',
        load: () => import('./commands/webhooks/replay.js'),
      },
      recover: {
        summary: 'Deliver failed events again',
        load: () => import('./commands/webhooks/recover.js'),
      },
      'event-types': {
        summary: 'List event types, or show the fields of one',
        load: () => import('./commands/webhooks/event-types.js'),
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
        summary: 'Forward events to a receiver on this machine',
        load: () => import('./commands/webhooks/listen.js'),
      },
      trigger: {
        summary: 'Send an example event to a receiver on this machine',
        load: () => import('./commands/webhooks/trigger.js'),
      },
      verify: {
        summary: 'Check the signature of a delivery',
        load: () => import('./commands/webhooks/verify.js'),
      },
    },
  },
  domains: {
    summary: 'Manage custom domains for links',
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
      update: {
        summary: 'Change the settings of a domain',
        load: () => import('./commands/domains/update.js'),
      },
      verify: {
        summary: 'Check the TXT record in DNS and activate the domain',
        load: () => import('./commands/domains/verify.js'),
      },
      delete: {
        summary: 'Delete domains without active links',
        load: () => import('./commands/domains/delete.js'),
      },
    },
  },
  analytics: {
    summary: 'Show clicks by time, country, device and referrer',
    commands: {
      overview: {
        summary: 'Show the clicks of all short links',
        load: () => import('./commands/analytics/overview.js'),
      },
      report: {
        summary: 'Create a report on one link or all links: charts, HTML, CSV or JSON',
        load: () => import('./commands/analytics/report.js'),
      },
      tail: {
        summary: 'Print visits as they happen',
        load: () => import('./commands/analytics/tail.js'),
      },
      visits: {
        summary: 'Export the visits of people as NDJSON',
        load: () => import('./commands/analytics/visits.js'),
      },
    },
  },
  keys: {
    summary: 'Manage API keys',
    commands: {
      create: {
        summary: 'Create an API key for a script or a server',
        load: () => import('./commands/keys/create.js'),
      },
      list: {
        summary: 'List API keys, newest first',
        load: () => import('./commands/keys/list.js'),
      },
      revoke: {
        summary: 'Revoke API keys',
        load: () => import('./commands/keys/revoke.js'),
      },
    },
  },
  organization: {
    summary: 'Show and change the settings of the organization',
    commands: {
      get: {
        summary: 'Show the settings of the organization',
        load: () => import('./commands/organization/get.js'),
      },
      update: {
        summary: 'Change which addresses are not counted',
        load: () => import('./commands/organization/update.js'),
      },
    },
  },
  admin: {
    summary: 'Administrate all organizations of a server, with the operator key',
    commands: {
      login: {
        summary: 'Store the operator key of a server',
        load: () => import('./commands/admin/login.js'),
      },
      orgs: {
        summary: 'Manage organizations',
        commands: {
          list: {
            summary: 'List organizations, newest first',
            load: () => import('./commands/admin/orgs/list.js'),
          },
          create: {
            summary: 'Create an organization and its first client',
            load: () => import('./commands/admin/orgs/create.js'),
          },
          get: {
            summary: 'Show an organization',
            load: () => import('./commands/admin/orgs/get.js'),
          },
          update: {
            summary: 'Rename an organization, or change its plan',
            load: () => import('./commands/admin/orgs/update.js'),
          },
          suspend: {
            summary: 'Refuse the API requests of an organization, and stop its links',
            load: () => import('./commands/admin/orgs/suspend.js'),
          },
          resume: {
            summary: 'End the suspension of an organization',
            load: () => import('./commands/admin/orgs/resume.js'),
          },
          delete: {
            summary: 'Delete an organization and everything that it has',
            load: () => import('./commands/admin/orgs/delete.js'),
          },
        },
      },
      clients: {
        summary: 'Manage the clients of an organization',
        commands: {
          list: {
            summary: 'List the clients of an organization, newest first',
            load: () => import('./commands/admin/clients/list.js'),
          },
          create: {
            summary: 'Create a client of an organization',
            load: () => import('./commands/admin/clients/create.js'),
          },
          update: {
            summary: 'Change the name or the expiry of a client',
            load: () => import('./commands/admin/clients/update.js'),
          },
          revoke: {
            summary: 'Revoke a client and its access tokens',
            load: () => import('./commands/admin/clients/revoke.js'),
          },
        },
      },
      keys: {
        summary: 'Manage the API keys of an organization',
        commands: {
          list: {
            summary: 'List the API keys of an organization, newest first',
            load: () => import('./commands/admin/keys/list.js'),
          },
          update: {
            summary: 'Change the name or the expiry of an API key',
            load: () => import('./commands/admin/keys/update.js'),
          },
          revoke: {
            summary: 'Revoke an API key of an organization',
            load: () => import('./commands/admin/keys/revoke.js'),
          },
        },
      },
      takedown: {
        summary: 'Take down links of any organization',
        commands: {
          create: {
            summary: 'Take down a link, which then answers 451',
            load: () => import('./commands/admin/takedown/create.js'),
          },
          list: {
            summary: 'List the links that are taken down',
            load: () => import('./commands/admin/takedown/list.js'),
          },
          undo: {
            summary: 'Undo the takedown of a link',
            load: () => import('./commands/admin/takedown/undo.js'),
          },
        },
      },
      hosts: {
        summary: 'Block hosts as targets of links',
        commands: {
          block: {
            summary: 'Block a host as the target of links',
            load: () => import('./commands/admin/hosts/block.js'),
          },
          list: {
            summary: 'List blocked hosts, newest first',
            load: () => import('./commands/admin/hosts/list.js'),
          },
          unblock: {
            summary: 'Unblock a host',
            load: () => import('./commands/admin/hosts/unblock.js'),
          },
        },
      },
      audit: {
        summary: 'List who changed what, newest first',
        load: () => import('./commands/admin/audit.js'),
      },
      usage: {
        summary: 'Show the usage of every organization in a month',
        load: () => import('./commands/admin/usage.js'),
      },
    },
  },
  import: {
    summary: 'Import the links of another link shortener',
    commands: {
      bitly: importLeaf('bitly', 'Bitly'),
      dub: importLeaf('dub', 'Dub'),
      kutt: importLeaf('kutt', 'Kutt'),
      yourls: importLeaf('yourls', 'YOURLS'),
      shlink: importLeaf('shlink', 'Shlink'),
      shortio: importLeaf('shortio', 'Short.io'),
      tinyurl: importLeaf('tinyurl', 'TinyURL'),
    },
  },
  usage: {
    summary: 'Show the usage of a month and the limits of the plan',
    load: () => import('./commands/usage.js'),
  },
  api: {
    summary: 'Call any route of the API',
    load: () => import('./commands/api.js'),
  },
  browse: {
    summary: 'Search links, watch their clicks, pause and share them',
    load: () => import('./commands/browse.js'),
  },
  open: {
    summary: 'Open a link in the web browser',
    load: () => import('./commands/open.js'),
  },
  mcp: {
    summary: 'Give an AI assistant tools for links, QR codes and reports',
    load: () => import('./commands/mcp.js'),
  },
  completion: {
    summary: 'Print a completion script for a shell',
    load: () => import('./commands/completion.js'),
  },
};
