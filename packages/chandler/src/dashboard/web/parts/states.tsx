/** What a view shows when it has nothing to show: loading, empty, an error, kinds that cannot be read. */
import type { ComponentChildren } from 'preact';
import type { Missing, WireError } from '../../wire.ts';
import { type Answer, useConnection } from '../app-context.ts';
import { fullTime, sentence } from '../model/format.ts';
import { type MissingGroup, missingGroups } from '../model/missing-kinds.ts';

export function Loading({ text = 'Loading' }: { readonly text?: string }) {
  return (
    <div class="state" role="status">
      <div class="spinner" aria-hidden="true" />
      <p>{text} …</p>
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children === undefined ? null : <p class="soft">{children}</p>}
    </div>
  );
}

export function Failed({ error, retry }: { readonly error: WireError; readonly retry?: () => void }) {
  return (
    <div class="state" role="alert">
      <p class="state-title">This could not be read</p>
      <p>{sentence(error.error)}</p>
      {error.cure === undefined ? null : <p class="soft">{sentence(error.cure)}</p>}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The answer, or the state that it is in. */
export function Answered<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (answer.value !== null) {
    return (
      <>
        {answer.error === null ? null : (
          <p class="notice warning" role="status">
            Not up to date: {sentence(answer.error.error)}
          </p>
        )}
        {children(answer.value)}
        <AsOf {...(answer.value as { readonly atMs?: number })} />
      </>
    );
  }
  if (answer.error !== null) return <Failed error={answer.error} retry={answer.reload} />;
  return <Loading />;
}

/** Answers that take long to make are kept for a while: this says of when they are. */
function AsOf({ atMs }: { readonly atMs?: number }) {
  if (atMs === undefined) return null;
  return (
    <p class="as-of soft">
      As of <time dateTime={new Date(atMs).toISOString()}>{fullTime(atMs).slice(-8)}</time>
    </p>
  );
}

const MISSING_TEXTS: Readonly<Record<Missing['reason'], string>> = {
  denied: 'you are not permitted to read them',
  'not-installed': 'the kind is not installed in the cluster',
  failed: 'reading them failed',
};

export function MissingKinds({ missing }: { readonly missing: readonly Missing[] }) {
  return (
    <>
      {missingGroups(missing).map((group) => (
        <MissingNotice key={group.title} {...group} />
      ))}
    </>
  );
}

function MissingNotice({ title, kinds }: MissingGroup) {
  const { session } = useConnection();
  const denied = kinds.filter(({ reason }) => reason === 'denied').map(({ resource }) => resource);
  const isDenied = denied.length > 0;
  return (
    <details class="notice warning missing" open={isDenied}>
      <summary>
        {title}: {kinds.map(({ resource }) => resource).join(', ')}
      </summary>
      <ul>
        {kinds.map(({ resource, reason, text }) => (
          <li key={resource}>
            <strong>{resource}</strong>: {MISSING_TEXTS[reason]}. <span class="soft">{text}</span>
          </li>
        ))}
      </ul>
      {isDenied && session?.recording !== 'file' ? (
        <p>
          Ask for a role that may list {denied.join(', ')}
          {session?.signIn === 'kubernetes' ? '.' : ', and start the page again.'}
        </p>
      ) : null}
    </details>
  );
}
