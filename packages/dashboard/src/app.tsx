import { type ComponentType, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, Route, Router, type RouterProps, Switch, useLocation } from 'wouter-preact';
import { Secrets } from './components/copy.js';
import { Loading, Problem, Screen, useLoaded } from './components/elements.js';
import { Shortcuts } from './components/shortcuts.js';
import { run, Toasts } from './components/work.js';
import { Audit } from './screens/audit.js';
import { DomainScreen, Domains } from './screens/domains.js';
import { Keys } from './screens/keys.js';
import { LinkEditor, NewLink } from './screens/link-editor.js';
import { Links } from './screens/links.js';
import { Operator } from './screens/operator.js';
import { People } from './screens/people.js';
import { LinkQr, QrCodes, QrScreen } from './screens/qr.js';
import { Report } from './screens/report.js';
import { Account, SignIn, Welcome } from './screens/sign-in.js';
import { Tools } from './screens/tools.js';
import { Usage } from './screens/usage.js';
import { NewWebhook, WebhookScreen, Webhooks } from './screens/webhooks.js';
import { may, me, readSession, signOut, state } from './session.js';

interface ScreenRoute {
  readonly path: string;
  readonly component: ComponentType<{ params: { readonly id: string } }>;
  /** What the menu shows. Other screens are reached from these. */
  readonly title?: string;
  /** What a person needs to see the screen. */
  readonly scope?: Parameters<typeof may>[0];
}

const screens: readonly ScreenRoute[] = [
  { path: '/', component: Links, title: 'Links', scope: 'urls:read' },
  { path: '/new', component: Links },
  { path: '/links/new', component: NewLink, scope: 'urls:write' },
  { path: '/links/:id', component: LinkEditor, scope: 'urls:read' },
  { path: '/report', component: Report, title: 'Reports', scope: 'analytics:read' },
  { path: '/report/:id', component: Report, scope: 'analytics:read' },
  { path: '/links/:id/qr', component: LinkQr, scope: 'qr:read' },
  { path: '/qr', component: QrCodes, title: 'QR codes', scope: 'qr:read' },
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
  { path: '/operator', component: Operator, title: 'Operator', scope: 'people:write' },
  { path: '/account', component: Account, title: 'Account' },
];

/** The import, whose code is large and seldom needed. */
function Import() {
  const { value, error } = useLoaded('import', () => import('./screens/import.js'));
  return value ? <value.Import /> : <Loading error={error} />;
}

const isVisible = ({ path, scope }: ScreenRoute): boolean =>
  (scope === undefined || may(scope)) &&
  (path !== '/operator' || state.value?.servesAdministration === true);

const isInMenu = (screen: ScreenRoute) => screen.title !== undefined && isVisible(screen);

function App() {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    readSession().catch(setError);
  }, []);
  return (
    <Router base="/dashboard" aroundNav={leave}>
      <Problem error={error} />
      <Switch>
        <Route path="/welcome" component={Welcome} />
        <Route>{me.value ? <SignedIn /> : me.value === null ? <SignIn /> : null}</Route>
      </Switch>
      <Secrets />
      <Toasts />
    </Router>
  );
}

/** Shows another screen. Asks first where closing the page would be asked, such as in an import. */
const leave: NonNullable<RouterProps['aroundNav']> = (navigate, to, options) => {
  const mayLeave = dispatchEvent(new Event('beforeunload', { cancelable: true }));
  if (mayLeave || confirm('Stop the import?')) navigate(to, options);
};

function SignedIn() {
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const [path] = useLocation();
  useEffect(() => {
    // Where a link was followed, the keyboard goes on at the new screen.
    if (!first.current && document.activeElement === document.body) main.current?.focus();
    first.current = false;
  }, [path]);
  return (
    <>
      <header class="bar">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <nav aria-label="Main">
          {screens.filter(isInMenu).map(({ path: href, title }) => (
            <Link key={href} href={href} aria-current={href === path ? 'page' : undefined}>
              {title}
            </Link>
          ))}
        </nav>
        <span class="hint">{me.value?.user?.email ?? me.value?.organization.name}</span>
        <button type="button" class="plain" onClick={() => leave(() => run(signOut), '')}>
          Sign out
        </button>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Switch>
          {screens.map((screen) => (
            <Route
              key={screen.path}
              path={screen.path}
              component={(isVisible(screen) ? screen.component : Missing) as never}
            />
          ))}
          <Route component={Missing} />
        </Switch>
      </main>
      <Shortcuts />
    </>
  );
}

function Missing() {
  return (
    <Screen title="This page does not exist">
      <Link href="/">To the links</Link>
    </Screen>
  );
}

render(<App />, document.body);
