import type { ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { Link, Route, Router, Switch, useRoute } from 'wouter-preact';
import { describeError } from './api.js';
import { Shortcuts } from './components/shortcuts.js';
import { Toasts } from './components/toasts.js';
import { isOperatorApiServed, probeOperatorApi } from './operator-api.js';
import { Links } from './screens/links.js';
import { SignIn } from './screens/sign-in.js';
import { Welcome } from './screens/welcome.js';
import { may, me, readSession, signOut } from './session.js';

const NewLink = lazy(async () => (await import('./screens/link-editor.js')).NewLink);
const LinkEditor = lazy(async () => (await import('./screens/link-editor.js')).LinkEditor);
const Domains = lazy(async () => (await import('./screens/domains.js')).Domains);
const DomainScreen = lazy(async () => (await import('./screens/domains.js')).DomainScreen);
const Import = lazy(async () => (await import('./screens/import.js')).Import);
const LinkQr = lazy(async () => (await import('./screens/qr.js')).LinkQr);
const NewQr = lazy(async () => (await import('./screens/qr.js')).NewQr);
const NewWebhook = lazy(async () => (await import('./screens/webhooks.js')).NewWebhook);
const QrCodes = lazy(async () => (await import('./screens/qr.js')).QrCodes);
const QrScreen = lazy(async () => (await import('./screens/qr.js')).QrScreen);
const Webhooks = lazy(async () => (await import('./screens/webhooks.js')).Webhooks);
const WebhookScreen = lazy(async () => (await import('./screens/webhooks.js')).WebhookScreen);
const Audit = lazy(async () => (await import('./screens/audit.js')).Audit);
const Operator = lazy(async () => (await import('./screens/operator.js')).Operator);
const Tools = lazy(async () => (await import('./screens/tools.js')).Tools);
const Usage = lazy(async () => (await import('./screens/usage.js')).Usage);
const Account = lazy(async () => (await import('./screens/account.js')).Account);
const Keys = lazy(async () => (await import('./screens/keys.js')).Keys);
const Report = lazy(async () => (await import('./screens/report.js')).Report);
const People = lazy(async () => (await import('./screens/people.js')).People);

interface Screen {
  readonly path: string;
  readonly component: ComponentType<{ params: Readonly<Record<string, string>> }>;
  /** What the menu shows. Other screens are reached from these. */
  readonly title?: string;
  /** What a person needs to see the screen. */
  readonly scope?: Parameters<typeof may>[0];
  /** Whether the server has what the screen shows. */
  readonly isServed?: { readonly value: boolean };
}

const screens: readonly Screen[] = [
  { path: '/', component: Links, title: 'Links', scope: 'urls:read' },
  { path: '/new', component: Links },
  { path: '/links/new', component: NewLink, scope: 'urls:write' },
  { path: '/links/:id', component: LinkEditor, scope: 'urls:read' },
  { path: '/report', component: Report, title: 'Reports', scope: 'analytics:read' },
  { path: '/report/:id', component: Report, scope: 'analytics:read' },
  { path: '/links/:id/qr', component: LinkQr, scope: 'qr:read' },
  { path: '/qr', component: QrCodes, title: 'QR codes', scope: 'qr:read' },
  { path: '/qr/new', component: NewQr, scope: 'qr:write' },
  { path: '/qr/:id', component: QrScreen, scope: 'qr:read' },
  { path: '/import', component: Import, title: 'Import', scope: 'urls:write' },
  { path: '/domains', component: Domains, title: 'Domains', scope: 'domains:read' },
  { path: '/domains/:id', component: DomainScreen, scope: 'domains:read' },
  { path: '/webhooks', component: Webhooks, title: 'Webhooks', scope: 'webhooks:read' },
  { path: '/webhooks/new', component: NewWebhook, scope: 'webhooks:write' },
  { path: '/webhooks/:id', component: WebhookScreen, scope: 'webhooks:read' },
  { path: '/people', component: People, title: 'People', scope: 'people:read' },
  { path: '/keys', component: Keys, title: 'Keys', scope: 'keys:write' },
  { path: '/usage', component: Usage, title: 'Usage', scope: 'usage:read' },
  { path: '/audit', component: Audit, title: 'Audit', scope: 'keys:write' },
  { path: '/tools', component: Tools, title: 'Tools', scope: 'urls:write' },
  {
    path: '/operator',
    component: Operator,
    title: 'Operator',
    scope: 'people:write',
    isServed: isOperatorApiServed,
  },
  { path: '/account', component: Account, title: 'Account' },
];

export function App() {
  const [error, setError] = useState('');
  useEffect(() => {
    readSession().catch((reason: unknown) => setError(describeError(reason)));
  }, []);
  if (error !== '') return <p role="alert">{error}</p>;
  return (
    <Router base="/dashboard">
      <Switch>
        <Route path="/welcome" component={Welcome} />
        <Route>{me.value ? <SignedIn /> : me.value === null ? <SignIn /> : null}</Route>
      </Switch>
      <Toasts />
    </Router>
  );
}

function SignedIn() {
  useEffect(() => {
    if (may('people:write')) void probeOperatorApi();
  }, []);
  const visible = screens.filter(
    ({ scope, isServed }) => (scope === undefined || may(scope)) && (isServed?.value ?? true),
  );
  return (
    <>
      <header class="bar">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <nav aria-label="Main">
          {visible
            .filter(({ title }) => title !== undefined)
            .map(({ path, title }) => (
              <MenuLink key={path} path={path} title={title ?? ''} />
            ))}
        </nav>
        <span class="who">{me.value?.user?.email ?? me.value?.organization.name}</span>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <main id="main">
        <Suspense fallback={<p>Loading…</p>}>
          <Switch>
            {visible.map(({ path, component }) => (
              <Route key={path} path={path} component={component as never} />
            ))}
            <Route>
              <h1>This page does not exist</h1>
              <p>
                <Link href="/">To the links</Link>
              </p>
            </Route>
          </Switch>
        </Suspense>
      </main>
      <Shortcuts />
    </>
  );
}

function MenuLink({ path, title }: { readonly path: string; readonly title: string }) {
  const [isActive] = useRoute(path);
  return (
    <Link href={path} aria-current={isActive ? 'page' : undefined}>
      {title}
    </Link>
  );
}
