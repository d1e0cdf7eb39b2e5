/** The answer of `chandler why`: what is, the cause with its fix, the NodePools, what was checked, and the text of the terminal. */
import type { Explanation, Finding } from '../../wire.ts';
import { Subject } from './link.tsx';
import { TimedText } from './time.tsx';

export function ExplanationView({
  answer,
  brief = false,
}: {
  readonly answer: Explanation;
  /** Everything but cause, fix and NodePools is folded. */
  readonly brief?: boolean;
}) {
  const rest = (
    <>
      <Layers answer={answer} />
      <Unread unread={answer.unread} />
    </>
  );
  return (
    <div class="explanation">
      <p class="standing">
        <Verdict word={answer.verdict} /> <TimedText text={answer.standing} />
      </p>
      {answer.cause === null ? null : <FindingView finding={answer.cause} />}
      <NodePools answer={answer} />
      {answer.also.length === 0 ? null : (
        <details>
          <summary>Also suspicious: {answer.also.length}</summary>
          {answer.also.map((finding, at) => (
            <FindingView key={at} finding={finding} />
          ))}
        </details>
      )}
      {answer.staying.length === 0 ? null : (
        <>
          <h3>Why it stays</h3>
          <ul class="plain">
            {answer.staying.map(({ code, text }, at) => (
              <li key={at}>
                <code>{code}</code> <TimedText text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
      {brief && hasMore(answer) ? (
        <details>
          <summary>What was checked</summary>
          {rest}
        </details>
      ) : (
        rest
      )}
      {answer.text === '' ? null : (
        <details>
          <summary>As the terminal shows it</summary>
          <pre tabIndex={0}>{answer.text}</pre>
        </details>
      )}
    </div>
  );
}

export function FindingView({ finding }: { readonly finding: Finding }) {
  const text = (field: string) => textOf(finding[field]);
  const confirm = Array.isArray(finding['confirm']) ? finding['confirm'].map(textOf) : [];
  return (
    <div class="finding">
      <p class="finding-title">
        {text('title')} {text('id') === '' ? null : <code>{text('id')}</code>}
      </p>
      <p>
        <TimedText text={text('summary')} />
      </p>
      {text('fix') === '' ? null : (
        <p class="fix">
          <strong>Fix:</strong> {text('fix')}
        </p>
      )}
      {confirm.length === 0 ? null : (
        <details>
          <summary>How to confirm</summary>
          <pre tabIndex={0}>{confirm.join('\n')}</pre>
        </details>
      )}
    </div>
  );
}

/** `nearest NodePool general: needs …; NodePool spot: taint …`, for tables. */
export function poolReasons({ nearestPools, otherPools }: Explanation): string {
  const nearest = nearestPools.map(
    ({ nodePool, reasons }) => `nearest NodePool ${nodePool}: ${reasons.join(', and ')}`,
  );
  return [...nearest, ...otherPools].join('; ');
}

/** Of a pending pod: why none of them launches a node for it, the nearest first. */
function NodePools({ answer: { nearestPools, otherPools } }: { readonly answer: Explanation }) {
  if (nearestPools.length === 0 && otherPools.length === 0) return null;
  return (
    <>
      <h3>NodePools</h3>
      <ul class="plain">
        {nearestPools.map(({ nodePool, reasons }) => (
          <li key={nodePool}>
            <span class="verdict verdict-open">nearest</span>{' '}
            <Subject subject={`NodePool/${nodePool}`}>{nodePool}</Subject>: {reasons.join('; and ')}
          </li>
        ))}
        {otherPools.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}

function hasMore({ layers, journey, unread }: Explanation): boolean {
  return layers.length > 0 || journey.length > 0 || unread.length > 0;
}

function Layers({ answer }: { readonly answer: Explanation }) {
  return (
    <>
      {answer.layers.length === 0 ? null : (
        <>
          <h3>Layers</h3>
          <ol class="layers">
            {answer.layers.map(({ number, layer, title, state, detail }) => (
              <li key={`${number} ${layer}`}>
                <Verdict word={state} /> <strong>{title}</strong> {detail}
              </li>
            ))}
          </ol>
        </>
      )}
      {answer.journey.length === 0 ? null : (
        <>
          <h3>Journey</h3>
          <ol class="plain">
            {answer.journey.map(({ at, who, what, outcome, detail }, index) => (
              <li key={index}>
                <TimedText text={at} /> {who}: {what} <span class="soft">{outcome}</span>{' '}
                <TimedText text={detail} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** What has the same reason is in one line. */
function Unread({ unread }: { readonly unread: Explanation['unread'] }) {
  const groups = [...Map.groupBy(unread, ({ message }) => message ?? '')];
  return (
    <>
      {groups.map(([message, own]) => {
        const names = own.map(({ what }) => what ?? '').filter((what) => what !== '');
        return (
          <p class="soft" key={message}>
            Not read{names.length === 0 ? '' : `: ${names.join(', ')}`}
            {message === '' ? '' : ` (${message})`}
          </p>
        );
      })}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}

/** Verdicts and states of layers in words, each with one of three colours. */
const WORDS: Readonly<Record<string, readonly [text: string, colour: 'good' | 'bad' | 'open']>> = {
  healthy: ['healthy', 'good'],
  ok: ['ok', 'good'],
  underWay: ['in progress', 'open'],
  unknown: ['not known', 'open'],
  notReached: ['not reached', 'open'],
  unexplained: ['unexplained', 'bad'],
  broken: ['broken', 'bad'],
};

export function Verdict({ word }: { readonly word: string }) {
  const [text, colour] = (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined) ?? [word, 'open'];
  return <span class={`verdict verdict-${colour}`}>{text}</span>;
}
