/** Only in the playground: faults and scenarios, and how fast time runs. Changes need the second token. */
import { useEffect, useState } from 'preact/hooks';
import type { PlaygroundAnswer, WireError } from '../../wire.ts';
import { errorText } from '../api.ts';
import { useAnswer, useApp } from '../app-context.ts';
import { every } from '../browser.ts';
import { Answered, Empty, Failed } from '../parts/states.tsx';

const POLL_MS = 1500;

type Wish =
  | { readonly fault: string; readonly on: boolean }
  | { readonly scenario: string }
  | { readonly speed: number };

export function Playground() {
  const answer = useAnswer<PlaygroundAnswer>('playground', 'happened');
  return <Answered answer={answer}>{(value) => <Controls read={value} reload={answer.reload} />}</Answered>;
}

function Controls({ read, reload }: { readonly read: PlaygroundAnswer; readonly reload: () => void }) {
  const { connection } = useApp();
  const [changed, setChanged] = useState<{ of: PlaygroundAnswer; to: PlaygroundAnswer } | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const answer = changed?.of === read ? changed.to : read;
  const isRunning = answer.running?.outcome === 'running';
  // A scenario goes on by itself: while one runs, its step is asked for.
  useEffect(() => (isRunning ? every(POLL_MS, reload) : undefined), [isRunning, reload]);
  const wish = (body: Wish) => {
    setError(null);
    connection.api
      .post<PlaygroundAnswer>('playground', JSON.stringify(body), 'application/json')
      .then((to) => setChanged({ of: read, to }))
      .catch((failure: unknown) => setError(errorText(failure)));
  };
  const mayChange = connection.api.tokens.playground !== '';
  return (
    <>
      {mayChange ? null : (
        <p class="notice warning">
          This tab has no second token, so nothing can be changed here. Open the whole address that the
          playground printed.
        </p>
      )}
      {error === null ? null : <Failed error={error} />}
      <section class="card">
        <h2>Scenarios</h2>
        <Running running={answer.running} />
        {answer.scenarios.length === 0 ? <Empty title="There are no scenarios" /> : null}
        <ul class="plain">
          {answer.scenarios.map(({ name, text }) => (
            <li key={name} class="switch">
              <button
                type="button"
                disabled={!mayChange || isRunning}
                onClick={() => wish({ scenario: name })}
              >
                Play {name}
              </button>
              <span class="soft">{text}</span>
            </li>
          ))}
        </ul>
      </section>
      <section class="card">
        <h2>Speed</h2>
        <label>
          Time runs{' '}
          <select
            value={String(answer.speed)}
            disabled={!mayChange}
            onChange={(event) => wish({ speed: Number(event.currentTarget.value) })}
          >
            {speedsOf(answer).map((speed) => (
              <option key={speed} value={String(speed)}>
                {speed === 1 ? 'as fast as real time' : `${speed} times as fast as real time`}
              </option>
            ))}
          </select>
        </label>
        <p class="soft">The cloud is {answer.cloud}.</p>
      </section>
      <section class="card">
        <h2>Faults</h2>
        {answer.faults.length === 0 ? <Empty title="There are no faults to switch on" /> : null}
        <ul class="plain faults">
          {answer.faults.map(({ name, text, on }) => (
            <li key={name} class="switch">
              <label>
                <input
                  type="checkbox"
                  checked={on}
                  disabled={!mayChange}
                  onChange={(event) => wish({ fault: name, on: event.currentTarget.checked })}
                />
                <strong>{name}</strong>
              </label>
              <span class="soft">{text}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** Those that are offered, and the one that was given at the start. */
function speedsOf({ speed, speeds }: PlaygroundAnswer): readonly number[] {
  return [...new Set([...speeds, speed])].sort((one, other) => one - other);
}

const OUTCOMES = { running: 'is running', passed: 'passed', failed: 'failed' } as const;

function Running({ running }: { readonly running: PlaygroundAnswer['running'] }) {
  return (
    <div role="status">
      {running === null ? null : (
        <p class={running.outcome === 'failed' ? 'notice error' : 'notice'}>
          <strong>
            Scenario {running.scenario} {OUTCOMES[running.outcome]}.
          </strong>{' '}
          {running.step}
        </p>
      )}
    </div>
  );
}
