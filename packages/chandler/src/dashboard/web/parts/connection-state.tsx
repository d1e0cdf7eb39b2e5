/** Whether the page is up to date, and what to do if it is not. */
import { useState } from 'preact/hooks';
import { useConnection, usePlayback } from '../app-context.ts';
import { fullTime, sentence } from '../model/format.ts';

const TEXTS = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost',
  denied: 'Not permitted',
} as const;

export function ConnectionState() {
  const { link } = useConnection();
  const { replay } = usePlayback();
  // What is shown then is not the present.
  const isPast = link.state === 'live' && replay !== null;
  return (
    <span class={`link link-${isPast ? 'past' : link.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="link-text">{isPast ? 'Recording' : TEXTS[link.state]}</span>
    </span>
  );
}

/** A band above the view: what is shown is old. */
export function LostNotice() {
  const connection = useConnection();
  const { link, session, store } = connection;
  if (link.state === 'denied' && (session !== null || store.isLoaded)) {
    return (
      <div class="notice error" role="alert">
        <strong>The server does not accept the token any more.</strong> {sentence(link.error.error)} What is
        shown is old. If the command was started anew, open the address that it printed, or enter its token:
        <SignInForm />
      </div>
    );
  }
  if (link.state !== 'lost') return null;
  return (
    <div class="notice error" role="alert">
      <strong>The connection was lost at {fullTime(link.sinceMs)}.</strong>{' '}
      {store.isLoaded ? 'What is shown is from then. ' : ''}
      {sentence(link.error.error)}
      {link.error.cure === undefined ? '' : ` ${sentence(link.error.cure)}`} The page connects again by
      itself.{' '}
      <button type="button" onClick={() => connection.retryNow()}>
        Connect now
      </button>
    </div>
  );
}

/** Instead of the view, while there is no token. */
export function SignIn() {
  const { link } = useConnection();
  if (link.state !== 'denied') return null;
  return (
    <div class="state" role="alert">
      <p class="state-title">
        {link.status === 401 ? TITLES[link.signIn] : 'You are not permitted to see this'}
      </p>
      <p>{sentence(link.error.error)}</p>
      <p class="soft">
        {link.error.cure === undefined
          ? 'Open the address that the command printed; the token is in it.'
          : sentence(link.error.cure)}
      </p>
      {link.signIn === 'kubernetes' ? <TokenCommands /> : null}
      <SignInForm />
    </div>
  );
}

const TITLES = {
  page: 'This page needs its token',
  kubernetes: 'Sign in with a token of Kubernetes',
} as const;

/** Command lines that print such a token. */
function TokenCommands() {
  return (
    <dl class="soft token-commands">
      <dt>A service account</dt>
      <dd>
        <code>kubectl create token NAME -n NAMESPACE</code>
      </dd>
      <dt>Yourself, where your kubeconfig has a command that gets credentials</dt>
      <dd>
        <code>kubectl config view --minify</code> shows it under <code>exec</code>. Run it; the token is its{' '}
        <code>status.token</code>.
      </dd>
    </dl>
  );
}

function SignInForm() {
  const connection = useConnection();
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== '') connection.useToken(token.trim());
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <label>
        Token{' '}
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Connect</button>
    </form>
  );
}
