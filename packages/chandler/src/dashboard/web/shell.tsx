/** The frame of the page: name, views, search, state of the connection, what is frozen, and the view itself. */
import { useEffect, useRef } from 'preact/hooks';
import type { View } from '../wire.ts';
import { useApp, useConnection, usePlayback, useRoute, useStore } from './app-context.ts';
import { timeZone } from './browser.ts';
import { thousands } from './model/format.ts';
import { type Page, toView } from './model/route.ts';
import { ConnectionState, LostNotice, SignIn } from './parts/connection-state.tsx';
import { EventAnnouncer } from './parts/event-announcer.tsx';
import { FreezeNotice } from './parts/freeze-notice.tsx';
import { Link } from './parts/link.tsx';
import { RecordingBar } from './parts/recording-bar.tsx';
import { Empty, Loading, MissingKinds } from './parts/states.tsx';
import { ThemeSwitch } from './parts/theme-switch.tsx';
import { Claims } from './views/claims.tsx';
import { Cluster } from './views/cluster.tsx';
import { ObjectPage } from './views/object.tsx';
import { Pending } from './views/pending.tsx';
import { Playground } from './views/playground.tsx';
import { Savings } from './views/savings.tsx';
import { Timeline } from './views/timeline.tsx';
import { WhatIf } from './views/what-if.tsx';

const TITLES: Readonly<Record<View, string>> = {
  cluster: 'Cluster',
  pending: 'Pending',
  claims: 'Claims',
  savings: 'Savings',
  timeline: 'Timeline',
  'what-if': 'What if',
  playground: 'Playground',
};

/** Views that a recording has. */
const RECORDED: readonly Page[] = ['cluster', 'timeline'];

export function Shell() {
  const { view, subject } = useRoute();
  const { session, link } = useConnection();
  const { replay } = usePlayback();
  const title = view === 'object' ? subject : TITLES[view];
  useEffect(() => {
    document.title = `${title} · ${session?.cluster ?? 'Chandler'}`;
  }, [title, session?.cluster]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('view')!.focus()}>
        Skip to the view
      </button>
      <header class="top">
        <div class="brand">
          <strong>Chandler</strong>
          <span class="soft cluster-name">{session?.cluster ?? ''}</span>
          <span class="soft zone">times in {timeZone()}</span>
        </div>
        <Views views={session?.views ?? []} current={view} />
        <div class="tools">
          <Search />
          <ConnectionState />
          <ThemeSwitch />
        </div>
      </header>
      <RecordingBar />
      <Notices />
      <main id="view" tabIndex={-1} class={`view view-${view}`}>
        <h1 id="title" tabIndex={-1} class={view === 'cluster' ? 'hidden' : undefined}>
          {title}
        </h1>
        {link.state === 'denied' && !session ? (
          <SignIn />
        ) : (
          <CurrentView key={replay === null ? 'live' : 'recorded'} view={view} views={session?.views} />
        )}
      </main>
      <EventAnnouncer />
    </>
  );
}

function Views({ views, current }: { readonly views: readonly View[]; readonly current: Page }) {
  const store = useStore('pending');
  return (
    <nav aria-label="Views">
      <ul>
        {views.map((view) => (
          <li key={view}>
            <Link to={toView(view)} current={view === current}>
              {TITLES[view]}
              {view === 'pending' && store.pending.size > 0 ? (
                <span class="badge">
                  {thousands(store.pending.size)}
                  <span class="hidden"> pods</span>
                </span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Search() {
  const { navigation } = useApp();
  const { q } = useRoute();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  return (
    <input
      ref={input}
      type="search"
      class="search"
      aria-label="Search"
      aria-keyshortcuts="/"
      placeholder="Search ( / )"
      spellcheck={false}
      autocomplete="off"
      value={q}
      onInput={(event) => navigation.change({ q: event.currentTarget.value })}
    />
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function Notices() {
  const store = useStore('settings');
  return (
    <>
      <LostNotice />
      <FreezeNotice freezes={store.freezes} />
      <MissingKinds missing={store.missing} />
    </>
  );
}

function CurrentView({ view, views }: { readonly view: Page; readonly views: readonly View[] | undefined }) {
  const { link, session } = useConnection();
  const playback = usePlayback();
  const { replay } = playback;
  const store = useStore('settings');
  if (!store.isLoaded || views === undefined)
    return <Loading text={link.state === 'connecting' ? link.text : 'Waiting for the server'} />;
  if (replay !== null && !RECORDED.includes(view))
    return (
      <Empty title="This is not in the recording">
        A recording has nodes, pods, NodePools, prices and what happened: the views Cluster and Timeline.
        {session?.recording === 'live' ? (
          <>
            {' '}
            <button type="button" onClick={() => playback.leave()}>
              Return to live
            </button>
          </>
        ) : null}
      </Empty>
    );
  if (session?.recording === 'file' && replay === null) return <Loading text="Reading the recording" />;
  if (view !== 'object' && !views.includes(view))
    return <Empty title="This view is not available here">The server does not offer it.</Empty>;
  switch (view) {
    case 'cluster':
      return <Cluster />;
    case 'pending':
      return <Pending />;
    case 'claims':
      return <Claims />;
    case 'savings':
      return <Savings />;
    case 'timeline':
      return <Timeline />;
    case 'what-if':
      return <WhatIf />;
    case 'playground':
      return <Playground />;
    case 'object':
      return <ObjectPage />;
  }
}
