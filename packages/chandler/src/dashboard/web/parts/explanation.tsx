/** The answer of `chandler why`: what is, the cause with its cure, what was looked at, and the text of the terminal. */
import type { Explanation, Finding } from '../../wire.ts';

export function ExplanationView({
  answer,
  brief = false,
}: {
  readonly answer: Explanation;
  readonly brief?: boolean;
}) {
  return (
    <div class="explanation">
      <p class="standing">
        <Verdict word={answer.verdict} /> {answer.standing}
      </p>
      {answer.cause === null ? null : <FindingView finding={answer.cause} />}
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
                <code>{code}</code> {text}
              </li>
            ))}
          </ul>
        </>
      )}
      {brief ? null : <Layers answer={answer} />}
      {answer.unread.length === 0 ? null : (
        <p class="soft">
          Not read: {answer.unread.map(({ what, message }) => what ?? message ?? 'something').join('; ')}
        </p>
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
      <p>{text('summary')}</p>
      {text('fix') === '' ? null : (
        <p class="fix">
          <strong>Cure:</strong> {text('fix')}
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

function Layers({ answer }: { readonly answer: Explanation }) {
  return (
    <>
      {answer.layers.length === 0 ? null : (
        <>
          <h3>What was looked at</h3>
          <ol class="layers">
            {answer.layers.map(({ number, layer, state, detail }) => (
              <li key={`${number} ${layer}`}>
                <Verdict word={state} /> <strong>{layerText(layer)}</strong> {detail}
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
                <time>{at}</time> {who}: {what} <span class="soft">{outcome}</span> {detail}
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** `vmCreation`: vm creation. */
function layerText(layer: string): string {
  return layer.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
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
